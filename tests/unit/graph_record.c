/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/graph_record: the formats of five kernels in a directory that stands for tracefs, and records in pages. */
#include "lib/ftrace/graph_record.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "check.h"
#include "ftrace_pages.h"
#include "lib/kernel/tracefs.h"

static char folder[] = "/tmp/probelight-graph.XXXXXX";

static const char common[] =
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

/* One kernel's fields; sizes and places as its files have them. */
struct kernel {
	const char *name, *entry, *exit;
	uint32_t entry_size, exit_size;		/* of a record, whole */
	uint32_t func, depth, depth_size, args;	/* of an entry */
	uint32_t exit_func, exit_depth, overrun, overrun_size, calltime, rettime, retval;
};

#define FUNC(at) "\tfield:unsigned long func;\toffset:" at ";\tsize:8;\tsigned:0;\n"
#define DEPTH(at) "\tfield:int depth;\toffset:" at ";\tsize:4;\tsigned:1;\n"
#define OVERRUN(at) "\tfield:unsigned int overrun;\toffset:" at ";\tsize:4;\tsigned:0;\n"
#define TIMES(begin, end)                                                               \
	"\tfield:unsigned long long calltime;\toffset:" begin ";\tsize:8;\tsigned:0;\n" \
	"\tfield:unsigned long long rettime;\toffset:" end ";\tsize:8;\tsigned:0;\n"

static const struct kernel kernels[] = {
	{ "5.10", FUNC("8") DEPTH("16"), FUNC("8") "\tfield:unsigned long overrun;\toffset:16;\tsize:8;\tsigned:0;\n" TIMES("24", "32")
	  DEPTH("40"), 20, 44, 8, 16, 4, 0, 8, 40, 16, 8, 24, 32, 0 },
	{ "6.1-rt", FUNC("12") DEPTH("20"), FUNC("12") DEPTH("20") OVERRUN("24") TIMES("28", "36"), 24, 44, 12, 20, 4, 0, 12, 20, 24, 4,
	  28, 36, 0 },
	{ "6.12", FUNC("8") DEPTH("16"), FUNC("8") DEPTH("16") OVERRUN("20") TIMES("24", "32"), 20, 40, 8, 16, 4, 0, 8, 16, 20, 4, 24, 32,
	  0 },
	{ "6.12-lat", FUNC("8") DEPTH("16"), FUNC("8") "\tfield:unsigned long retval;\toffset:16;\tsize:8;\tsigned:0;\n" DEPTH("24")
	  OVERRUN("28") TIMES("32", "40"), 20, 48, 8, 16, 4, 0, 8, 24, 28, 4, 32, 40, 16 },
	{ "7.3", FUNC("8") "\tfield:unsigned long depth;\toffset:16;\tsize:8;\tsigned:0;\n"
	  "\tfield:unsigned long args[];\toffset:24;\tsize:0;\tsigned:0;\n", FUNC("8")
	  "\tfield:unsigned int depth;\toffset:16;\tsize:4;\tsigned:0;\n" OVERRUN("20") TIMES("24", "32"), 24, 40, 8, 16, 8, 24, 8, 16, 20,
	  4, 24, 32, 0 },
};

static void write_format(const char *name, int id, const char *fields)
{
	char command[256], path[128];
	FILE *file;

	snprintf(command, sizeof(command), "mkdir -p '%s/events/ftrace/%s'", folder, name);
	CHECK_INT(system(command), 0);
	snprintf(path, sizeof(path), "%s/events/ftrace/%s/format", folder, name);
	file = fopen(path, "w");
	CHECK(file && fprintf(file, "name: %s\nID: %d\n%s%s\nprint fmt: \"\"\n", name, id, common, fields) > 0 && !fclose(file));
}

static void put(uint8_t *data, uint32_t at, uint64_t value, uint32_t size)
{
	memcpy(data + at, &value, size);
}

/* A page with one record, of size bytes, which are then filled by the caller. */
static uint8_t *add(struct made_page *page, uint16_t type, uint8_t flags, int32_t tid, uint32_t size)
{
	uint8_t *data;

	made_page__record(page, 7, size, type);
	data = page->bytes + page->used - size;
	data[2] = flags;
	memcpy(data + 4, &tid, sizeof(tid));
	return data;
}

static void test_kernel(const struct kernel *kernel)
{
	static const struct page_layout usual = { .timestamp = 0, .commit = 8, .commit_size = 8, .data = 16, .size = 4096 };
	struct made_page made = made_page__of(1000);
	struct page_record record;
	struct graph_layout layout;
	struct graph_record graph;
	struct page page;
	uint8_t *data;

	write_format("funcgraph_entry", 11, kernel->entry);
	write_format("funcgraph_exit", 10, kernel->exit);
	CHECK_INT(graph_layout__read(&layout), 0);
	data = add(&made, 11, 0, 1234, kernel->entry_size);
	put(data, kernel->func, 0xffffffff81234564, 8);
	put(data, kernel->depth, 3, kernel->depth_size);
	data = add(&made, 10, 0x08, 1234, kernel->exit_size);
	put(data, kernel->exit_func, 0xffffffff81234564, 8);
	put(data, kernel->exit_depth, 3, 4);
	put(data, kernel->overrun, 17, kernel->overrun_size);
	put(data, kernel->calltime, 500000000000, 8);
	put(data, kernel->rettime, 500000012345, 8);
	if (kernel->retval)
		put(data, kernel->retval, (uint64_t)-9, 8);
	/* with arguments, in a softirq; one byte too short; another type; times that run backwards */
	data = add(&made, 11, 0x10, 0, kernel->entry_size + 48);
	put(data, kernel->func, 5, 8);
	put(data, kernel->depth, 0, kernel->depth_size);
	for (uint32_t i = 0; i < 6; i++)
		put(data, kernel->entry_size + 8 * i, 100 + i, 8);
	add(&made, 11, 0, 1, kernel->entry_size - 4);
	add(&made, 10, 0, 1, kernel->exit_size - 4);
	add(&made, 12, 0, 1, 64);
	data = add(&made, 10, 0x48, 1, kernel->exit_size);
	put(data, kernel->calltime, 2, 8);
	put(data, kernel->rettime, 1, 8);
	CHECK_INT(page__open(&page, &usual, made.bytes, made_page__end(&made, false, 0)), 0);

	CHECK_INT(page__next(&page, &record), 1);
	CHECK_INT(graph_record__decode(&layout, &record, &graph), GRAPH_ENTRY);
	CHECK_INT(graph.tid, 1234);
	CHECK_INT(graph.context, GRAPH_TASK);
	CHECK(graph.function == 0xffffffff81234564);
	CHECK_INT(graph.depth, 3);
	CHECK_INT(graph.args_count, 0);

	CHECK_INT(page__next(&page, &record), 1);
	CHECK_INT(graph_record__decode(&layout, &record, &graph), GRAPH_EXIT);
	CHECK_INT(graph.context, GRAPH_HARDIRQ);
	CHECK(graph.function == 0xffffffff81234564);
	CHECK_INT(graph.depth, 3);
	CHECK_INT(graph.overrun, 17);
	CHECK_INT(graph.ns, 12345);
	CHECK_INT(graph.has_result, kernel->retval != 0);
	CHECK_INT((int64_t)graph.result, kernel->retval ? -9 : 0);

	CHECK_INT(page__next(&page, &record), 1);
	CHECK_INT(graph_record__decode(&layout, &record, &graph), GRAPH_ENTRY);
	CHECK_INT(graph.context, GRAPH_SOFTIRQ);
	CHECK_INT(graph.tid, 0);
	CHECK_INT(graph.args_count, kernel->args ? 6 : 0);
	CHECK_INT(kernel->args ? graph.args[5] : 105, 105);

	for (int i = 0; i < 3; i++) {
		CHECK_INT(page__next(&page, &record), 1);
		CHECK_INT(graph_record__decode(&layout, &record, &graph), GRAPH_OTHER);
	}
	CHECK_INT(page__next(&page, &record), 1);
	CHECK_INT(graph_record__decode(&layout, &record, &graph), GRAPH_EXIT);
	CHECK_INT(graph.context, GRAPH_NMI);
	CHECK_INT(graph.ns, 0);
	CHECK_INT(page__next(&page, &record), 0);
}

/* Formats that are not what this reads. */
static void test_others(void)
{
	struct graph_layout layout;

	write_format("funcgraph_exit", 10, FUNC("8") DEPTH("16") OVERRUN("20"));
	CHECK_INT(graph_layout__read(&layout), -EINVAL);
	write_format("funcgraph_exit", 10, kernels[2].exit);
	write_format("funcgraph_entry", 11, FUNC("8") "\tfield:short depth;\toffset:16;\tsize:2;\tsigned:1;\n");
	CHECK_INT(graph_layout__read(&layout), -EINVAL);
	write_format("funcgraph_entry", 0, kernels[2].entry);
	CHECK_INT(graph_layout__read(&layout), -EINVAL);
	write_format("funcgraph_entry", 11, kernels[2].entry);
	write_format("fgraph_retaddr_entry", 18, kernels[4].entry);
	CHECK_INT(graph_layout__read(&layout), 0);
	CHECK_INT(layout.entry.type, 11);
	CHECK_INT(layout.retaddr.type, 18);
	CHECK_INT(layout.retaddr.depth.size, 8);
}

int main(void)
{
	struct graph_layout layout;
	char command[128];

	CHECK(mkdtemp(folder));
	tracefs__use(folder);
	CHECK_INT(graph_layout__read(&layout), -ENOENT);
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		test_kernel(&kernels[i]);
	test_others();
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	CHECK_INT(system(command), 0);
	return check_done();
}
