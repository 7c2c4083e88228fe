/* SPDX-License-Identifier: BSD-2-Clause */
/* Fires the module's events and checks that the programs read what the module put in: "ok - …", "not ok - …". */
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "lib/layout/layout.h"
#include "kmod_values.h"
#include "kmod_values.skel.h"
#include "values.h"

#define FIRE "/sys/module/probelight_test/parameters/fire"

static int failed;

__attribute__((format(printf, 2, 3)))
static void check(int passed, const char *format, ...)
{
	va_list args;

	printf(passed ? "ok - " : "not ok - ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	failed |= !passed;
}

static void die(const char *what)
{
	printf("not ok - %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct kmod_values_bpf *load(void)
{
	struct bpf_object_open_opts opts = { .sz = sizeof(opts) };
	struct kmod_values_bpf *skel;
	struct layout *layout;
	struct fault fault;
	const void *elf;
	size_t size = 0;

	if (layout__new(&layout))
		die("layout__new");
	opts.btf_custom_path = layout__btf_path(layout);
	skel = kmod_values_bpf__open_opts(&opts);
	if (!skel)
		die("open");
	elf = kmod_values_bpf__elf_bytes(&size);
	if (layout__fill(layout, skel->obj, elf, size, &fault)) {
		printf("not ok - refused: %s\n", fault.text);
		exit(1);
	}
	if (kmod_values_bpf__load(skel) || kmod_values_bpf__attach(skel))
		die("load and attach");
	layout__free(layout);
	return skel;
}

static void check_fixed(const struct seen_fixed *seen)
{
	static const int numbers[] = VALUE_NUMBERS;

	check(seen->count == 1, "fixed was seen once");
	check(seen->tiny == -VALUE_NUMBER, "s8 tiny is %d", seen->tiny);
	check(!strcmp(seen->name, VALUE_NAME), "char name[10] is %s", seen->name);
	check(seen->small == VALUE_NUMBER + 60000, "u16 small is %u", seen->small);
	check(!memcmp(seen->numbers, numbers, sizeof(numbers)), "int numbers[3] is %d %d %d", seen->numbers[0],
	      seen->numbers[1], seen->numbers[2]);
	check(seen->yes == 1, "bool yes is %u", seen->yes);
	check(seen->pointer >> 47 == 0x1ffff, "void *pointer is one of the kernel");
	check(seen->large == -VALUE_NUMBER * 1000000000LL, "long long large is %lld", (long long)seen->large);
	check(seen->list_next == seen->pointer && !seen->list_prev, "struct list_head list has its pointers");
	check(seen->last == VALUE_NUMBER, "unsigned char last is %u", seen->last);
}

static void check_dynamic(const char *event, const struct seen_dynamic *seen)
{
	static const int numbers[] = VALUE_NUMBERS;
	static const __u64 cpus[] = VALUE_CPUS;

	check(seen->count == 1, "%s was seen once", event);
	check(!strcmp(seen->string, VALUE_STRING), "%s: string is \"%s\"", event, seen->string);
	check(seen->string_length == sizeof(VALUE_STRING) && seen->string_size == sizeof(VALUE_STRING),
	      "%s: string has %u bytes, %lld were read", event, seen->string_size, (long long)seen->string_length);
	check(seen->cut_length == 8 && !strncmp(seen->cut, VALUE_STRING, 7) && !seen->cut[7], "%s: cut it is \"%s\"",
	      event, seen->cut);
	check(seen->numbers_size == sizeof(numbers) && seen->numbers_bytes == sizeof(numbers) &&
	      !memcmp(seen->numbers, numbers, sizeof(numbers)), "%s: numbers are %d %d %d", event, seen->numbers[0],
	      seen->numbers[1], seen->numbers[2]);
	check(seen->cpus_bytes == sizeof(cpus) && !memcmp(seen->cpus, cpus, sizeof(cpus)), "%s: cpus are %llx %llx",
	      event, (unsigned long long)seen->cpus[1], (unsigned long long)seen->cpus[0]);
	check(!seen->nothing_bytes, "%s: an empty array has %lld bytes", event, (long long)seen->nothing_bytes);
	check(seen->last == VALUE_LAST, "%s: last is %x", event, (unsigned)seen->last);
}

int main(void)
{
	struct kmod_values_bpf *skel = load();
	int fd;

	fd = open(FIRE, O_WRONLY);
	if (fd < 0 || write(fd, "1", 1) != 1)
		die(FIRE);
	close(fd);
	check_fixed(&skel->bss->fixed_seen);
	check_dynamic("dynamic", &skel->bss->dynamic_seen);
	check_dynamic("relative", &skel->bss->relative_seen);
	kmod_values_bpf__destroy(skel);
	return failed;
}
