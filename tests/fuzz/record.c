/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: `probelight show` of any bytes, by the tool whose name they have.  The first byte says how it is shown.  Any version of
 * the tool's events is taken for its own, so that inputs stay good when a struct changes.
 */
#include "lib/run/recording.h"
#include "lib/run/show.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#define TOOL(name) int name##_main(int argc, char **argv);
#include "record_tools.h"
#undef TOOL
#define TOOL(name) { #name, name##_main },
static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} tools[] = {
#include "record_tools.h"
};

static jmp_buf next_input;
static bool is_running;
static int said;

void __real_exit(int status) __attribute__((noreturn));
void __wrap_exit(int status) __attribute__((noreturn));
void __wrap_vsay(const char *format, va_list args);
void __wrap_say(const char *format, ...);
int __wrap_privileges__drop(unsigned int kept);
void __wrap_loop__catch_signals(void);
void __wrap_loop__start_tick(void);
bool __wrap_record__is_layout(const struct record_about_run *run, uint32_t layout);

void __wrap_exit(int status)
{
	if (!is_running)
		__real_exit(status);
	/* who cannot show it says why */
	REQUIRE(said && (status == 1 || status == 2));
	longjmp(next_input, 1);
}

void __wrap_vsay(const char *format, va_list args)
{
	char *text;

	REQUIRE(vasprintf(&text, format, args) > 0);
	free(text);
	said++;
}

void __wrap_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	__wrap_vsay(format, args);
	va_end(args);
}

int __wrap_privileges__drop(unsigned int kept)
{
	(void)kept;
	return 0;
}

void __wrap_loop__catch_signals(void)
{
}

void __wrap_loop__start_tick(void)
{
}

bool __wrap_record__is_layout(const struct record_about_run *run, uint32_t layout)
{
	(void)run;
	(void)layout;
	return true;
}

static void show(const char *name, int (*main_of)(int argc, char **argv), uint8_t how)
{
	char *argv[] = {
		(char *)name, (char *)"-o", (char *)"/dev/null", (char *)(how & 1 ? "-j" : "-U"), (char *)(how & 2 ? "-T" : "--max-events=1000"),
		(char *)(how & 4 ? "--host" : "--cgroup-name"), NULL,
	};
	int status = main_of(6, argv);

	REQUIRE(status >= 0 && status <= 1 && said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *name;
	char path[32];
	int fd;

	if (!size)
		return 0;
	fd = memfd_create("record", 0);
	REQUIRE(write(fd, data + 1, size - 1) == (ssize_t)size - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	said = 0;
	name = show__open(path);
	for (size_t i = 0; name && i < sizeof(tools) / sizeof(*tools); i++)
		if (!strcmp(tools[i].name, name)) {
			is_running = true;
			if (!setjmp(next_input))
				show(tools[i].name, tools[i].main, *data);
			is_running = false;
			break;
		}
	show__close();
	close(fd);
	return 0;
}
