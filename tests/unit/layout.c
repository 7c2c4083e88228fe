/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lib/layout on the object of layout.bpf.c: the BTF that it makes out of format files of real kernels, and out of a
 * kernel BTF that is made here.  What libbpf and a kernel make of it, the guest tests show.
 */
#include "lib/layout/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <linux/bpf.h>

#include "check.h"
#include "corpus.h"
#include "lib/format/format.h"
#include "lib/printfmt/value_names.h"
#include "lib/btf/rawbtf.h"
#include "lib/layout/elf.h"
#include "lib/layout/helper_calls.h"
#include "lib/layout/uncalled.h"
#include "lib/kernel/tracefs.h"

#define OBJECT UNIT_FOLDER "/layout.bpf.o"

static char folder[] = "/tmp/probelight-layout.XXXXXX";
static char *elf;
static size_t elf_size;
static struct fault fault;
static struct layout_places places;

static void *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	struct stat stat;
	char *bytes;

	if (!file || fstat(fileno(file), &stat)) {
		perror(path);
		exit(1);
	}
	bytes = malloc((size_t)stat.st_size + 1);
	*size = fread(bytes, 1, (size_t)stat.st_size, file);
	fclose(file);
	return bytes;
}

static const char *path_of(const char *name)
{
	static char path[8][256];
	static int next;
	char *result = path[next++ % 8];

	snprintf(result, sizeof(path[0]), "%s/%s", folder, name);
	return result;
}

/* ---- the BTF as text, a line for each named type: "struct inner 24 { value@128 }" */

static const struct btf_type *resolve(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (type && (btf_is_mod(type) || btf_is_typedef(type)))
		type = btf__type_by_id(btf, type->type);
	return type;
}

static void dump_type(const struct btf *btf, __u32 id, FILE *out)
{
	const struct btf_type *type = resolve(btf, id);

	if (!type)
		fprintf(out, "void");
	else if (btf_is_ptr(type))
		fprintf(out, "ptr");
	else if (btf_is_array(type)) {
		dump_type(btf, btf_array(type)->type, out);
		fprintf(out, "[%u]", btf_array(type)->nelems);
	} else if (btf_is_composite(type) && !*btf__name_by_offset(btf, type->name_off)) {
		fprintf(out, btf_is_union(type) ? "union %u {" : "struct %u {", type->size);
		for (int i = 0; i < btf_vlen(type); i++) {
			const struct btf_member *member = &btf_members(type)[i];

			fprintf(out, " %s@%u:", btf__name_by_offset(btf, member->name_off),
				btf_member_bit_offset(type, i));
			dump_type(btf, member->type, out);
		}
		fprintf(out, " }");
	} else {
		fprintf(out, "%s", btf__name_by_offset(btf, type->name_off));
	}
}

static void dump_line(const struct btf *btf, const struct btf_type *type, FILE *out)
{
	const char *name = btf__name_by_offset(btf, type->name_off);

	if (btf_is_typedef(type)) {
		fprintf(out, "typedef %s ", name);
		dump_type(btf, type->type, out);
		fprintf(out, "\n");
	} else if (btf_is_enum(type)) {
		fprintf(out, "enum %s {", name);
		for (int i = 0; i < btf_vlen(type); i++)
			fprintf(out, " %s=%d", btf__name_by_offset(btf, btf_enum(type)[i].name_off),
				btf_enum(type)[i].val);
		fprintf(out, " }\n");
	} else if (btf_is_enum64(type)) {
		fprintf(out, "enum64 %s {", name);
		for (int i = 0; i < btf_vlen(type); i++)
			fprintf(out, " %s=%lld", btf__name_by_offset(btf, btf_enum64(type)[i].name_off),
				(long long)btf_enum64_value(&btf_enum64(type)[i]));
		fprintf(out, " }\n");
	} else if (btf_is_composite(type)) {
		fprintf(out, "%s %s %u {", btf_is_union(type) ? "union" : "struct", name, type->size);
		for (int i = 0; i < btf_vlen(type); i++) {
			const struct btf_member *member = &btf_members(type)[i];

			fprintf(out, " %s@%u", btf__name_by_offset(btf, member->name_off),
				btf_member_bit_offset(type, i));
			if (btf_member_bitfield_size(type, i))
				fprintf(out, "/%u", btf_member_bitfield_size(type, i));
			fprintf(out, ":");
			dump_type(btf, member->type, out);
		}
		fprintf(out, " }\n");
	}
}

static char *dump(const struct btf *btf)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (__u32 id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (*btf__name_by_offset(btf, type->name_off))
			dump_line(btf, type, out);
	}
	fclose(out);
	return text;
}

/* Of the events that were read. */
static void check_formats(const struct layout *layout)
{
	const struct format *format = layout__format(layout, "sched/sched_switch");
	struct value_names *names = NULL;

	CHECK(format && !strcmp(format->name, "sched_switch"));
	CHECK(!layout__format(layout, "sched/sched_wakeup"));
	CHECK(!layout__format(layout, "sched/sched_switc"));
	CHECK(!layout__format(layout, "sched"));
	CHECK_INT(value_names__of_format(&names, NULL, "prev_state"), -ENOENT);
	CHECK_INT(value_names__of_format(&names, format, "prev_pid"), -ENOENT);
	CHECK_INT(value_names__of_format(&names, format, "prev_state"), 0);
	CHECK_STR(value_names__find(names, 1), "S");
	value_names__free(names);
}

/* A program whose loader names the event. */
static void check_bare(const struct layout *layout, const struct bpf_program *program, bool reads)
{
	struct fault what;

	CHECK_INT(layout__check_event(layout, program, "sched/sched_wakeup", &what), 0);
	/* an event of the same class */
	CHECK_INT(layout__check_event(layout, program, "sched/sched_wakeup_new", &what), 0);
	CHECK_INT(layout__check_event(layout, program, "sched/sched_switch", &what), reads ? -EINVAL : 0);
	CHECK_STR(what.text, reads ? "program bare: event sched/sched_switch has another record than sched/sched_wakeup, whose struct the "
		  "program reads" : "");
	CHECK_INT(layout__check_event(layout, program, "sched/sched_swich", &what), reads ? -ENOENT : 0);
	CHECK_INT(layout__check_event(layout, program, "sched", &what), -EINVAL);
}

/* ---- one program's layouts */

/* Fills a layout for one program of the object (NULL: for all); the BTF as text, freed by the caller, or NULL. */
static char *fill(const char *program, const char *left_out)
{
	struct bpf_object_open_opts opts = { .sz = sizeof(opts) };
	struct bpf_program *each;
	struct bpf_object *object;
	struct layout *layout;
	struct btf *btf;
	char *text = NULL;
	int err;

	if (!CHECK_INT(layout__new(&layout), 0))
		exit(1);
	layout__use(layout, &places);
	opts.btf_custom_path = layout__btf_path(layout);
	object = bpf_object__open_mem(elf, elf_size, &opts);
	if (!CHECK(object))
		exit(1);
	if (program && !CHECK(bpf_object__find_program_by_name(object, program)))
		exit(1);
	bpf_object__for_each_program(each, object)
		bpf_program__set_autoload(each, !program || !strcmp(bpf_program__name(each), program));
	/* a subprogram's accesses count wherever it is called from */
	if (!program || strcmp(program, "calls_subprogram"))
		layout__leave_out(layout, "subprogram");
	if (!program || !strstr(program, "reader")) {
		layout__leave_out(layout, "pid_of_wakeup");
		layout__leave_out(layout, "each_of_wakeup");
	}
	if (left_out)
		layout__leave_out(layout, left_out);
	err = layout__fill(layout, object, elf, elf_size, &fault);
	CHECK_INT(!err, !*fault.text);
	if (!err && program && !strcmp(program, "sched_switch"))
		check_formats(layout);
	if (!err && program && !strncmp(program, "bare", 4))
		check_bare(layout, bpf_object__find_program_by_name(object, program), !strcmp(program, "bare"));
	if (!err && program && !strcmp(program, "sched_switch")) {
		CHECK(layout__has_member(layout, "tp_sched__sched_switch", "prev_pid"));
		CHECK(!layout__has_member(layout, "tp_sched__sched_switch", "prev_prio"));
		CHECK(!layout__has_member(layout, "tp_sched__sched_wakeup", "pid"));
	}
	if (!err) {
		/* as libbpf is going to read it */
		btf = btf__parse(layout__btf_path(layout), NULL);
		if (CHECK(btf))
			text = dump(btf);
		btf__free(btf);
	}
	bpf_object__close(object);
	layout__free(layout);
	return text;
}

static void check_fill(const char *program, const char *expected, int line)
{
	char *text = fill(program, NULL);

	if (!text || strcmp(text, expected))
		check_report(0, __FILE__, line, "%s: %s%s\nexpected:\n%s", program, text ? "the BTF is\n" : fault.text,
			     text ? text : "", expected);
	free(text);
}

#define CHECK_FILL(program, expected) check_fill(program, expected, __LINE__)

static void check_refused(const char *program, const char *expected, int line)
{
	char *text = fill(program, NULL);

	check_report(!text && !strcmp(fault.text, expected), __FILE__, line, "%s: %s%s\nexpected:\n%s", program,
		     text ? "is not refused: " : "", text ? text : fault.text, expected);
	free(text);
}

#define CHECK_REFUSED(program, expected) check_refused(program, expected, __LINE__)

/* ---- events */

static void use_kernel(const char *kernel)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, kernel);
	tracefs__use(path);
}

static void test_events(void)
{
	use_kernel("6.1");
	CHECK_FILL("sched_switch", "struct tp_sched__sched_switch 64 { prev_comm@64:s8[16] prev_pid@192:s32 "
		   "prev_state@256:s64 next_pid@448:s32 }\n");
	use_kernel("5.10-rt");
	CHECK_FILL("sched_switch", "struct tp_sched__sched_switch 72 { prev_comm@96:s8[16] prev_pid@224:s32 "
		   "prev_state@320:s64 next_pid@512:s32 }\n");
	use_kernel("5.10");
	CHECK_FILL("regcache_sync", "struct tp_regmap__regcache_sync 24 { __data_loc_type@128:u32 type@160:s32 }\n");
	use_kernel("6.12-lat-with-sample-module");
	CHECK_FILL("foo_rel_loc", "struct tp_sample_trace__foo_rel_loc 24 { __rel_loc_foo@64:u32 bar@96:s32 "
		   "__rel_loc_bitmask@128:u32 __rel_loc_cpumask@160:u32 }\n");
	use_kernel("7.2");
	CHECK_FILL("flexible", "struct tp_ftrace__function 24 { ip@64:u64 args@192:u64[0] }\n");
}

/* The kernel's own convention, whatever the format files say. */
static void test_syscalls(void)
{
	for (size_t i = 0; i < CORPORA_COUNT; i++) {
		char expected[256];

		use_kernel(corpora[i]);
		/* the size is the format's, the rest is not */
		snprintf(expected, sizeof(expected), "struct tp_syscalls__sys_enter_openat %d { __syscall_nr@64:s32 "
			 "dfd@128:s32 filename@192:ptr flags@256:s32 mode@320:u16 }\n",
			 strcmp(corpora[i], "7.2") ? 48 : 52);
		CHECK_FILL("enter_openat", expected);
		CHECK_FILL("exit_openat",
			   "struct tp_syscalls__sys_exit_openat 24 { __syscall_nr@64:s32 ret@128:s64 }\n");
	}
}

static void test_event_errors(void)
{
	use_kernel("6.1");
	CHECK_REFUSED("wakeup_missing", "event sched/sched_wakeup: the kernel's record has no field colour "
		      "(it has comm, pid, prio, target_cpu)");
	CHECK_REFUSED("wakeup_common",
		      "event sched/sched_wakeup: field common_pid lies in the first 8 bytes, which BPF "
		      "programs may not read (a helper gives what it says, such as bpf_get_current_pid_tgid())");
	CHECK_REFUSED("wakeup_kind", "event sched/sched_wakeup: field prio is \"int prio\" on this kernel, which the "
		      "program's type for it does not fit (ctxgen shows one that does)");
	CHECK_REFUSED("wakeup_size", "event sched/sched_wakeup: field target_cpu has 4 bytes on this kernel, and the "
		      "program reads 8 as a signed number (ctxgen --check says what else differs)");
	CHECK_REFUSED("no_event",
		      "event sched/sched_swich: the kernel has no such event; the nearest is sched/sched_switch "
		      "(if it belongs to a module, load that first)");
	/* the program asks, or the type's flavour says that it may be another one */
	CHECK_FILL("wakeup_tested", "struct tp_sched__sched_wakeup 36 { pid@192:s32 target_cpu@256:s32 }\n");
	CHECK_FILL("wakeup_flavour", "struct tp_sched__sched_wakeup 36 { }\n");
	tracefs__use("/nonexistent");
	CHECK_REFUSED("wakeup_missing",
		      "event sched/sched_wakeup: the kernel has no such event (if it belongs to a module, "
		      "load that first)");
}

/* A program on another event than the one whose struct it reads: its rows would be garbage. */
static void test_other_events(void)
{
	for (size_t i = 0; i < CORPORA_COUNT; i++) {
		use_kernel(corpora[i]);
		CHECK_REFUSED("reads_other", "program reads_other: SEC(\"tp/sched/sched_switch\") gets the record of struct "
			      "tp_sched__sched_switch, and reads_other() reads struct tp_sched__sched_wakeup, which is another event's (SEC "
			      "and struct must name the same event)");
	}
	use_kernel("6.1");
	CHECK_REFUSED("reads_entry", "program reads_entry: SEC(\"tracepoint/syscalls/sys_exit_openat\") gets the record of struct "
		      "tp_syscalls__sys_exit_openat, and reads_entry() reads struct tp_syscalls__sys_enter_openat, which is another "
		      "event's (SEC and struct must name the same event)");
	CHECK_REFUSED("reads_raw", "program reads_raw: SEC(\"raw_tp/sched_wakeup\") gets no event's record, and reads_raw() reads struct "
		      "tp_sched__sched_wakeup (a program in SEC(\"tp/SYSTEM/NAME\") gets the record of that event)");
	CHECK_FILL("asks_other", "struct tp_sched__sched_wakeup 36 { pid@192:s32 target_cpu@256:s32 }\nstruct tp_sched__sched_switch 64 { "
		   "prev_comm@64:s8[16] prev_pid@192:s32 prev_state@256:s64 next_pid@448:s32 }\n");
	/* through subprograms */
	CHECK_FILL("calls_reader", "struct tp_sched__sched_wakeup 36 { pid@192:s32 target_cpu@256:s32 }\n");
	CHECK_REFUSED("calls_reader_of_other",
		      "program calls_reader_of_other: SEC(\"tp/sched/sched_wakeup_new\") gets the record of struct "
		      "tp_sched__sched_wakeup_new, and pid_of_wakeup() reads struct tp_sched__sched_wakeup, which is another event's "
		      "(SEC and struct must name the same event)");
	CHECK_REFUSED("loops_with_reader_of_other",
		      "program loops_with_reader_of_other: SEC(\"tp/sched/sched_migrate_task\") gets the record "
		      "of struct tp_sched__sched_migrate_task, and each_of_wakeup() reads struct tp_sched__sched_wakeup, which is "
		      "another event's (SEC and struct must name the same event)");
	/* SEC names no event */
	CHECK_FILL("bare", "struct tp_sched__sched_wakeup 36 { pid@192:s32 target_cpu@256:s32 }\n");
	CHECK_FILL("bare_without_record", "");
}

/* ---- kernel types */

/* A kernel's BTF, in which thing and its kin have other layouts than in layout.bpf.c; struct absent is not in it. */
static void make_kernel_btf(const char *path)
{
	struct btf *btf = btf__new_empty();
	int int_id, long_id, short_id, inner, low_high, as, array, pointer, pid, colour, count, const_id;
	const void *bytes;
	char name[32];
	__u32 size;
	FILE *file;

	int_id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	long_id = btf__add_int(btf, "long int", 8, BTF_INT_SIGNED);
	short_id = btf__add_int(btf, "short int", 2, BTF_INT_SIGNED);
	/* so many that the ones that matter are in the index' later parts */
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "filler%d", i);
		btf__add_struct(btf, name, 4);
		btf__add_field(btf, "x", int_id, 0, 0);
	}
	pid = btf__add_typedef(btf, "pid_t", btf__add_typedef(btf, "__kernel_pid_t", int_id));
	const_id = btf__add_const(btf, long_id);
	inner = btf__add_struct(btf, "inner", 24);
	btf__add_field(btf, "before", long_id, 0, 0);
	btf__add_field(btf, "value", const_id, 128, 0);
	low_high = btf__add_struct(btf, NULL, 4);
	btf__add_field(btf, "low", short_id, 0, 0);
	btf__add_field(btf, "high", short_id, 16, 0);
	as = btf__add_union(btf, NULL, 4);
	btf__add_field(btf, "as_int", int_id, 0, 0);
	btf__add_field(btf, NULL, low_high, 0, 0);
	array = btf__add_array(btf, int_id, inner, 4);
	pointer = btf__add_ptr(btf, (int)btf__type_cnt(btf) + 2);
	colour = btf__add_enum(btf, "colour", 4);
	btf__add_enum_value(btf, "GREEN", 7);
	btf__add_enum_value(btf, "BLUE", 5);
	btf__add_struct(btf, "thing", 200);
	btf__add_field(btf, "next", pointer, 64, 0);
	btf__add_field(btf, "id", pid, 128, 0);
	btf__add_field(btf, NULL, as, 192, 0);
	btf__add_field(btf, "inner", inner, 256, 0);
	btf__add_field(btf, "array", array, 448, 0);
	btf__add_field(btf, "flag", int_id, 1216, 1);
	btf__add_field(btf, "bits", int_id, 1217, 3);
	btf__add_field(btf, "colour", colour, 1280, 0);
	count = btf__add_struct(btf, NULL, 8);
	btf__add_field(btf, "pad", int_id, 0, 0);
	btf__add_field(btf, "counter", int_id, 32, 0);
	btf__add_typedef(btf, "count_t", count);

	bytes = btf__raw_data(btf, &size);
	file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) {
		perror(path);
		exit(1);
	}
	btf__free(btf);
}

static void test_kernel_types(void)
{
	static const char kernel_fields[] =
		"struct thing 200 { next@64:ptr id@128:int @192:union 4 { as_int@0:int @0:struct 4 { high@16:short int } } "
		"inner@256:inner array@448:inner[4] bits@1217/3:int colour@1280:colour }\n"
		"struct inner 24 { value@128:long int }\n"
		"enum colour { }\n";

	CHECK_FILL("kernel_fields", kernel_fields);
	CHECK_FILL("kernel_enums", "enum colour { GREEN=7 BLUE=5 }\n");
	CHECK_FILL("kernel_typedef", "typedef count_t struct 8 { counter@32:int }\n");
	CHECK_FILL("kernel_tested", "struct thing 200 { }\n");
	CHECK_FILL("kernel_part", "struct thing 200 { id@128:int }\n");
	rawbtf__may_map = false;
	CHECK_FILL("kernel_fields", kernel_fields);
	CHECK_FILL("kernel_enums", "enum colour { GREEN=7 BLUE=5 }\n");
	rawbtf__may_map = true;

	CHECK_REFUSED("kernel_missing",
		      "struct thing: the kernel's has no member missing of the kind that kernel_missing() reads");
	CHECK_REFUSED("kernel_part_missing",
		      "struct thing: the kernel's has no member missing of the kind that kernel_part_missing() reads");
	CHECK_REFUSED("kernel_absent", "struct absent: the kernel does not have it, and kernel_absent() reads it");
	CHECK_REFUSED("kernel_no_enumerator",
		      "enum colour: the kernel's has no RED, which kernel_no_enumerator() reads");
	CHECK_REFUSED("kernel_id",
		      "type thing: kernel_id() asks for its id in the kernel's BTF, or for a match of the whole "
		      "type, which needs that BTF whole (leave out btf_custom_path)");
}

static void test_no_kernel_btf(void)
{
	const char *kernel_btf = places.btf;

	places.btf = "/nonexistent/vmlinux";
	CHECK_REFUSED("kernel_enums",
		      "kernel type colour: the kernel's BTF cannot be read: /nonexistent/vmlinux: No such file "
		      "or directory (it was built without CONFIG_DEBUG_INFO_BTF)");
	/* what needs none */
	use_kernel("6.1");
	CHECK_FILL("sched_switch", "struct tp_sched__sched_switch 64 { prev_comm@64:s8[16] prev_pid@192:s32 "
		   "prev_state@256:s64 next_pid@448:s32 }\n");
	CHECK_FILL("agreed", "struct pt_regs 24 { di@128:unsigned long }\n");
	places.btf = kernel_btf;
}

/* What a program that is not loaded, or a subprogram that is not called, reads is not looked for. */
static void test_left_out(void)
{
	char *text = fill("calls_subprogram", NULL);

	CHECK(!text);
	CHECK_STR(fault.text, "struct thing: the kernel's has no member missing of the kind that subprogram() reads");
	free(text);
	text = fill("calls_subprogram", "subprogram");
	CHECK_STR(text, "");
	free(text);
}

/* More functions or helpers than there is room for are none that are forgotten. */
static void test_too_many(void)
{
	for (int helpers = 0; helpers < 2; helpers++) {
		struct bpf_object *object = bpf_object__open_mem(elf, elf_size, NULL);
		struct layout *layout = NULL;
		int most = helpers ? INSTEAD_MAX : LEFT_OUT_MAX, err;

		CHECK_INT(layout__new(&layout), 0);
		layout__use(layout, &places);
		for (int i = 0; i <= most; i++)
			if (helpers)
				layout__call_instead(layout, BPF_FUNC_loop, "no_such_subprogram");
			else if (i % 2)
				layout__leave_out(layout, "no_such_subprogram");
			else
				layout__stub_out(layout, "no_such_subprogram");
		err = layout__fill(layout, object, elf, elf_size, &fault);
		CHECK_INT(err, -E2BIG);
		CHECK_STR(fault.text, helpers ? "5 helpers are replaced, of at most 4 (INSTEAD_MAX)" :
			  "33 functions are left out, of at most 32 (LEFT_OUT_MAX)");
		bpf_object__close(object);
		layout__free(layout);
	}
}

/* How many subprograms calls_three() still calls; *others: how many the other programs call. */
static int calls_left(const struct uncalled *functions, size_t count, int *others)
{
	struct bpf_object *object = bpf_object__open_mem(elf, elf_size, NULL);
	int calls = 0;

	if (!CHECK(object))
		exit(1);
	*others = 0;
	bpf_program__set_autoload(bpf_object__find_program_by_name(object, "calls_subprogram"), false);
	CHECK_INT(uncalled__apply(object, elf, elf_size, functions, count), 0);
	for (struct bpf_program *each = NULL; (each = bpf_object__next_program(object, each));)
		for (size_t i = 0; i < bpf_program__insn_cnt(each); i++)
			if (bpf_program__insns(each)[i].code == (BPF_JMP | BPF_CALL) &&
			    bpf_program__insns(each)[i].src_reg == BPF_PSEUDO_CALL && !strncmp(bpf_program__name(each), "calls_", 6) &&
			    !strstr(bpf_program__name(each), "reader"))
				++*(strcmp(bpf_program__name(each), "calls_three") ? others : &calls);
	bpf_object__close(object);
	return calls;
}

static void test_uncalled(void)
{
	static const struct uncalled functions[] = {
		{ "subprogram", false }, { "next_subprogram", true }, { "global_subprogram", false }, { "sub", false }, { "", true },
	};
	int others;

	CHECK_INT(calls_left(functions, 0, &others), 3);
	for (size_t i = 0; i < 3; i++)
		CHECK_INT(calls_left(&functions[i], 1, &others), 2);
	CHECK_INT(calls_left(functions, 2, &others), 1);
	CHECK_INT(calls_left(functions, 3, &others), 0);
	/* a program that is not loaded stays as it is */
	CHECK_INT(others, 1);
	CHECK_INT(calls_left(functions + 3, 2, &others), 3);
}

/* What takes the place of a call: what the verifier refuses, or r0 = 0. */
static void test_stubbed_out(void)
{
	for (int gives_0 = 0; gives_0 < 2; gives_0++) {
		struct bpf_object *object = bpf_object__open_mem(elf, elf_size, NULL);
		const struct uncalled function = { "next_subprogram", gives_0 };
		const struct bpf_program *program = bpf_object__find_program_by_name(object, "calls_three");
		int zeros = 0, refused = 0;

		for (int when = 0; when < 2; when++) {
			for (size_t i = 0; i < bpf_program__insn_cnt(program); i++) {
				const struct bpf_insn *insn = &bpf_program__insns(program)[i];

				zeros += (when ? 1 : -1) * (insn->code == (BPF_ALU64 | BPF_MOV | BPF_K) && !insn->dst_reg && !insn->imm);
				refused += insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg && insn->imm == 0xbad2311;
			}
			if (!when)
				CHECK_INT(uncalled__apply(object, elf, elf_size, &function, 1), 0);
		}
		CHECK_INT(zeros, gives_0);
		CHECK_INT(refused, !gives_0);
		bpf_object__close(object);
	}
}

/* Where in .text the call at the index leads to, as libbpf finds it: an instruction's number. */
static long target_of(const struct bpf_program *program, size_t index)
{
	struct elf file;

	CHECK_INT(elf__read(&file, elf, elf_size), 0);
	for (size_t i = 0; i < file.symbols_count; i++)
		if (!strcmp(elf__symbol_name(&file, &file.symbols[i]), bpf_program__name(program)))
			return (long)(file.symbols[i].st_value / 8 + index) + bpf_program__insns(program)[index].imm + 1;
	return -1;
}

/* The number of next_subprogram()'s first instruction. */
static long next_subprogram_at(void)
{
	struct elf file;

	CHECK_INT(elf__read(&file, elf, elf_size), 0);
	for (size_t i = 0; i < file.symbols_count; i++)
		if (!strcmp(elf__symbol_name(&file, &file.symbols[i]), "next_subprogram"))
			return (long)(file.symbols[i].st_value / 8);
	return -1;
}

/* A call of a helper becomes one of a function, in programs that are loaded; other helpers are called as before. */
static void test_helper_calls(void)
{
	const struct helper_call call = { BPF_FUNC_get_current_pid_tgid, "next_subprogram" }, unknown = { call.helper, "nothing" };
	struct bpf_object *object = bpf_object__open_mem(elf, elf_size, NULL);
	const struct bpf_program *program = bpf_object__find_program_by_name(object, "calls_three");
	size_t at = 0, changed = 0;
	struct bpf_insn before[64];

	while (bpf_program__insns(program)[at].code != (BPF_JMP | BPF_CALL) || bpf_program__insns(program)[at].imm != call.helper)
		at++;
	memcpy(before, bpf_program__insns(program), sizeof(before[0]) * bpf_program__insn_cnt(program));
	CHECK_INT(helper_calls__replace(object, elf, elf_size, &unknown, 1), -ENOENT);
	bpf_program__set_autoload((struct bpf_program *)program, false);
	CHECK_INT(helper_calls__replace(object, elf, elf_size, &call, 1), 0);
	CHECK_INT(bpf_program__insns(program)[at].imm, call.helper);
	bpf_program__set_autoload((struct bpf_program *)program, true);
	CHECK_INT(helper_calls__replace(object, elf, elf_size, &call, 1), 0);
	for (size_t i = 0; i < bpf_program__insn_cnt(program); i++)
		changed += !!memcmp(&before[i], &bpf_program__insns(program)[i], sizeof(before[i]));
	CHECK_INT(changed, 1);
	CHECK_INT(bpf_program__insns(program)[at].src_reg, BPF_PSEUDO_CALL);
	CHECK_INT(target_of(program, at), next_subprogram_at());
	bpf_object__close(object);
}

/* Damaged ELF bytes: an error or not, but nothing is read outside. */
static void test_uncalled_damaged(void)
{
	static const struct uncalled functions[] = { { "subprogram", false }, { "next_subprogram", true }, { "global_subprogram", false } };
	static const struct helper_call call = { BPF_FUNC_get_current_pid_tgid, "next_subprogram" };
	struct bpf_object *object = bpf_object__open_mem(elf, elf_size, NULL);
	unsigned seed = 1;

	for (int i = 0; i < 400; i++) {
		size_t size = i % 4 ? elf_size : (size_t)rand_r(&seed) % elf_size;
		/* malloc: the sanitizer sees a byte too far */
		char *copy = malloc(size + !size);

		memcpy(copy, elf, size);
		for (int j = 0; j < 1 + i % 16 && size; j++) {
			/* the headers of the file and the sections, or anywhere */
			size_t from = i % 3 && size > 8192 ? size - 8192 : 0;

			copy[from + (size_t)rand_r(&seed) % (size - from)] = (char)rand_r(&seed);
		}
		uncalled__apply(object, copy, size, functions, 3);
		helper_calls__replace(object, copy, size, &call, 1);
		free(copy);
	}
	bpf_object__close(object);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) {
		perror(path);
		exit(1);
	}
}

static void test_cache(void)
{
	/* a note of another kind, and then the build id */
	static const unsigned char notes[] =
		"\6\0\0\0\4\0\0\0\1\1\0\0Linux\0\0\0\0\0\0\0"
		"\4\0\0\0\24\0\0\0\3\0\0\0GNU\0" "0123456789abcdefghij";
	const char *kernel_btf = places.btf, *cache = path_of("cache");
	static const char expected[] =
		"struct thing 200 { next@64:ptr id@128:int @192:union 4 { as_int@0:int @0:struct 4 "
		"{ high@16:short int } } inner@256:inner array@448:inner[4] bits@1217/3:int colour@1280:colour }\n"
		"struct inner 24 { value@128:long int }\nenum colour { }\n";

	write_file(places.notes, notes, sizeof(notes) - 1);
	places.cache = cache;
	CHECK_FILL("kernel_fields", expected);
	/* from here on the kernel's BTF is not needed for these */
	places.btf = "/nonexistent/vmlinux";
	CHECK_FILL("kernel_fields", expected);
	/* for others it is */
	CHECK(!fill("kernel_enums", NULL));
	/* nor is the cache for another kernel believed */
	write_file(places.notes, "\4\0\0\0\24\0\0\0\3\0\0\0GNU\0" "0123456789abcdefghiJ", 36);
	CHECK(!fill("kernel_fields", NULL));
	/* errors are the same from the cache */
	write_file(places.notes, notes, sizeof(notes) - 1);
	places.btf = kernel_btf;
	CHECK_REFUSED("kernel_missing",
		      "struct thing: the kernel's has no member missing of the kind that kernel_missing() reads");
	places.btf = "/nonexistent/vmlinux";
	CHECK_REFUSED("kernel_missing",
		      "struct thing: the kernel's has no member missing of the kind that kernel_missing() reads");
	places.btf = kernel_btf;
	/* a folder that others may write is not used */
	chmod(cache, 0777);
	places.btf = "/nonexistent/vmlinux";
	CHECK(!fill("kernel_fields", NULL));
	places.btf = kernel_btf;
	places.cache = "";
}

/* Damaged kernel BTF is an error or another answer, and never a crash or an endless loop. */
static void test_damaged(void)
{
	const char *kernel_btf = places.btf, *path = path_of("damaged");
	unsigned seed = 1;
	size_t size;
	unsigned char *bytes = read_file(kernel_btf, &size);

	places.btf = path;
	for (int i = 0; i < 400; i++) {
		unsigned char *copy = malloc(size);
		size_t cut = size;

		memcpy(copy, bytes, size);
		for (int j = 0; j < 1 + i % 8; j++) {
			/* the header, the beginning, and the end where the interesting types are */
			size_t near = i % 3 == 0 ? 24 : size;

			copy[rand_r(&seed) % near] = (unsigned char)rand_r(&seed);
		}
		if (i % 4 == 1)
			cut = (size_t)rand_r(&seed) % size;
		write_file(path, copy, cut);
		rawbtf__may_map = i % 2;
		free(copy);
		free(fill("kernel_fields", NULL));
	}
	rawbtf__may_map = true;
	places.btf = kernel_btf;
	free(bytes);
}

int main(void)
{
	static const char *const events[] = {
		"sched", "regmap", "sample-trace", "ftrace", "syscalls/sys_enter_openat", "syscalls/sys_exit_openat",
		NULL
	};

	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	elf = read_file(OBJECT, &elf_size);
	for (size_t i = 0; i < CORPORA_COUNT; i++)
		corpus_unpack(corpora[i], path_of(corpora[i]), events);
	places.btf = strdup(path_of("vmlinux"));
	places.notes = strdup(path_of("notes"));
	places.cache = "";
	make_kernel_btf(places.btf);
	test_events();
	test_syscalls();
	test_event_errors();
	test_other_events();
	test_kernel_types();
	test_no_kernel_btf();
	test_left_out();
	test_uncalled();
	test_too_many();
	test_stubbed_out();
	test_helper_calls();
	test_uncalled_damaged();
	test_cache();
	test_damaged();
	corpus_remove(folder);
	free((char *)places.btf);
	free((char *)places.notes);
	free(elf);
	return check_done();
}
