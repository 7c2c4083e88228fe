/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/stack_record: the formats of two kernels in a directory that stands for tracefs, and records. */
#include "lib/ftrace/stack_record.h"

#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "lib/kernel/tracefs.h"

#define FUNCTION 0xffffffff81360af0

static char folder[] = "/tmp/probelight-stack.XXXXXX";

static const char common[] =
	"name: kernel_stack\n"
	"ID: 4\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n";

/* Where the fields are, and in how many bytes of an array. */
struct kernel {
	const char *name, *fields;
	uint32_t count, frames;
};

static const struct kernel kernels[] = {
	{ "6.1", "\n\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n", 8, 16 },
	{ "6.1-rt", "\tfield:unsigned char common_migrate_disable;\toffset:8;\tsize:1;\tsigned:0;\n"
	  "\tfield:unsigned char common_preempt_lazy_count;\toffset:9;\tsize:1;\tsigned:0;\n\n"
	  "\tfield:int size;\toffset:12;\tsize:4;\tsigned:1;\n\tfield:unsigned long caller[];\toffset:16;\tsize:0;\tsigned:0;\n", 12, 16 },
};

static void write_format(const char *fields)
{
	char command[128], path[128];
	FILE *file;

	snprintf(command, sizeof(command), "mkdir -p '%s/events/ftrace/kernel_stack'", folder);
	CHECK_INT(system(command), 0);
	CHECK_INT(tracefs__path(path, sizeof(path), "events/ftrace/kernel_stack/format"), 0);
	file = fopen(path, "w");
	CHECK(file && fprintf(file, "%s%s\nprint fmt: \"\"\n", common, fields) > 0 && !fclose(file));
}

/* A record of memory of its own size, so that a byte behind it is found. */
static struct page_record make_record(const struct kernel *kernel, const uint64_t *frames, uint32_t told, size_t count)
{
	struct page_record record = { .size = (uint32_t)(kernel->frames + count * sizeof(*frames)), .type = 4 };
	uint8_t *data = calloc(1, record.size);
	int32_t tid = 1234;

	data[0] = 4;
	data[2] = 1;
	data[3] = 2;
	memcpy(data + 4, &tid, sizeof(tid));
	memcpy(data + kernel->count, &told, sizeof(told));
	memcpy(data + kernel->frames, frames, count * sizeof(*frames));
	record.data = data;
	return record;
}

static void test_kernel(const struct kernel *kernel)
{
	/* the trampoline, the function after its hook, who called it */
	const uint64_t frames[] = { 0xffffffffc0201083, FUNCTION + 5, 0xffffffff81372000, 0xffffffff81400000 };
	const uint64_t own[] = { 1, 2, 3, 4, 5, 6, FUNCTION + 9, 7 }, too_many[] = { 1, 2, 3, 4, 5, 6, 7, FUNCTION + 5 };
	struct record_context context, other;
	struct stack_layout layout;
	struct page_record record;
	uint64_t found[4] = {};

	write_format(kernel->fields);
	CHECK_INT(stack_layout__read(&layout), 0);
	CHECK_INT(layout.type, 4);
	record = make_record(kernel, frames, 4, 4);
	CHECK_INT(stack_record__frames(&layout, &record, FUNCTION, found, 4), 3);
	CHECK(!memcmp(found, frames + 1, 3 * sizeof(*found)));
	CHECK_INT(stack_record__frames(&layout, &record, FUNCTION, found, 2), 2);
	/* the record's address of a function may be behind its begin (IBT) */
	CHECK_INT(stack_record__frames(&layout, &record, FUNCTION + 4, found, 4), 3);
	/* another function's */
	CHECK_INT(stack_record__frames(&layout, &record, FUNCTION + 0x100, found, 4), 0);
	CHECK_INT(stack_record__frames(&layout, &record, FUNCTION - 0x100, found, 4), 0);
	context = record_context__of(&layout, &record);
	CHECK_INT(context.tid, 1234);
	other = context;
	CHECK(record_context__is_same(&context, &other));
	other.flags ^= 0x40;
	CHECK(!record_context__is_same(&context, &other));
	other = (struct record_context){ context.tid + 1, context.flags, context.preempt_count };
	CHECK(!record_context__is_same(&context, &other));
	free((void *)record.data);

	/* it says that it has more than it has; and one that is cut within a frame; and within its fields */
	record = make_record(kernel, frames, 1000000, 4);
	CHECK_INT(stack_record__frames(&layout, &record, FUNCTION, found, 4), 3);
	record.size -= 4;
	CHECK_INT(stack_record__frames(&layout, &record, FUNCTION, found, 4), 2);
	record.size = kernel->frames;
	CHECK_INT(stack_record__frames(&layout, &record, FUNCTION, found, 4), 0);
	record.size = kernel->count + 2;
	CHECK_INT(stack_record__frames(&layout, &record, FUNCTION, found, 4), 0);
	record.size = 7;
	other = record_context__of(&layout, &record);
	CHECK(!other.tid && !other.flags && !other.preempt_count);
	free((void *)record.data);

	/* the tracer's own frames */
	record = make_record(kernel, own, 8, 8);
	CHECK_INT(stack_record__frames(&layout, &record, FUNCTION, found, 4), 2);
	free((void *)record.data);
	record = make_record(kernel, too_many, 8, 8);
	CHECK_INT(stack_record__frames(&layout, &record, FUNCTION, found, 4), 0);
	free((void *)record.data);
}

int main(void)
{
	struct stack_layout layout;
	char command[64];

	CHECK(mkdtemp(folder));
	tracefs__use(folder);
	CHECK_INT(stack_layout__read(&layout), -ENOENT);
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		test_kernel(&kernels[i]);
	write_format("\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n");
	CHECK_INT(stack_layout__read(&layout), -EINVAL);
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	CHECK_INT(system(command), 0);
	return check_done();
}
