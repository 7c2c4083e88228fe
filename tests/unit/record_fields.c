/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/record_fields: the format file of a tracer's records, in a directory that stands for tracefs. */
#include "lib/ftrace/record_fields.h"

#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "lib/kernel/tracefs.h"

static char folder[] = "/tmp/probelight-record.XXXXXX";

static const char function[] =
	"name: function\n"
	"ID: 1\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\n"
	"print fmt: \" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip\n";

/* Since 6.15, and with frames of a stack: arrays at the end, of a size that says nothing. */
static const char arrays[] =
	"name: function\n"
	"ID: 1\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long args[];\toffset:16;\tsize:0;\tsigned:0;\n"
	"\tfield:unsigned long caller[8];\toffset:24;\tsize:64;\tsigned:0;\n"
	"\n"
	"print fmt: \"\"\n";

static void write_format(const char *text)
{
	char path[128];
	FILE *file;

	CHECK_INT(tracefs__path(path, sizeof(path), "events/ftrace/function/format"), 0);
	file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0 && !fclose(file));
}

int main(void)
{
	uint32_t ip = 0, pid = 0, size_min = 0, args = 0, caller = 0;
	uint16_t type = 0;
	const struct record_field fields[] = { { "ip", 8, &ip }, { "common_pid", 4, &pid }, { NULL, 0, NULL } };
	const struct record_field wider[] = { { "common_pid", 8, &pid }, { NULL, 0, NULL } };
	const struct record_field other[] = { { "ip", 8, &ip }, { "duration", 8, &pid }, { NULL, 0, NULL } };
	const struct record_field with_arrays[] = { { "ip", 8, &ip }, { "args", 0, &args }, { "caller", 0, &caller }, { NULL, 0, NULL } };
	const struct record_field no_array[] = { { "ip", 0, &ip }, { NULL, 0, NULL } };
	char command[128];

	CHECK(mkdtemp(folder));
	tracefs__use(folder);
	CHECK_INT(record_fields__find("function", fields, &type, &size_min), -ENOENT);
	snprintf(command, sizeof(command), "mkdir -p '%s/events/ftrace/function'", folder);
	CHECK_INT(system(command), 0);
	write_format(function);
	CHECK_INT(record_fields__find("function", fields, &type, &size_min), 0);
	CHECK_INT(type, 1);
	CHECK_INT(ip, 8);
	CHECK_INT(pid, 4);
	CHECK_INT(size_min, 16);
	CHECK_INT(record_fields__find("function", wider, &type, &size_min), -EINVAL);
	CHECK_INT(record_fields__find("function", other, &type, &size_min), -EINVAL);
	CHECK_INT(record_fields__find("function", with_arrays, &type, &size_min), -EINVAL);
	write_format(arrays);
	CHECK_INT(record_fields__find("function", with_arrays, &type, &size_min), 0);
	CHECK_INT(args, 16);
	CHECK_INT(caller, 24);
	CHECK_INT(size_min, 24);
	CHECK_INT(record_fields__find("function", no_array, &type, &size_min), -EINVAL);
	write_format("name: function\nID: one\n");
	CHECK_INT(record_fields__find("function", fields, &type, &size_min), -EINVAL);
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	CHECK_INT(system(command), 0);
	return check_done();
}
