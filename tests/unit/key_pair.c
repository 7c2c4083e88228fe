/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/gen/key_pair: the words of --key, and which values can be equal. */
#include <stdlib.h>

#include "lib/gen/key_pair.h"
#include "lib/format/format.h"

#include "check.h"

/* "pid=next_pid cpu=cpu", or what is wrong */
static void check_words(const char *text, const char *expected)
{
	char *copy = strdup(text), got[256] = "";
	struct key_names names;
	struct fault fault;

	if (key_names__parse(&names, copy, &fault)) {
		check_report(!strcmp(fault.text, expected), __FILE__, __LINE__, "%s: \"%s\", expected \"%s\"", text, fault.text, expected);
	} else {
		for (size_t i = 0; i < names.count; i++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s=%s", i ? " " : "", names.names[0][i], names.names[1][i]);
		check_report(!strcmp(got, expected), __FILE__, __LINE__, "%s: \"%s\", expected \"%s\"", text, got, expected);
	}
	free(copy);
}

static void test_words(void)
{
	check_words("pid", "pid=pid");
	check_words("dev,sector", "dev=dev sector=sector");
	check_words("pid=next_pid,cpu", "pid=next_pid cpu=cpu");
	check_words("a.pid=b.next_pid", "pid=next_pid");
	check_words("a.pid,b.next_pid", "pid=next_pid");
	check_words("a.dev,b.dev,sector,a.x=y,x=b.y", "dev=dev sector=sector x=y x=y");
	check_words("p->pid=next->pid", "p->pid=next->pid");
	check_words("", "--key: the name of a field is missing");
	check_words("pid,", "--key: the name of a field is missing");
	check_words("pid=", "--key: the name of a field is missing");
	check_words("a.=b.", "--key: the name of a field is missing");
	check_words("a.pid", "--key \"a.pid\": no field \"b.NAME\" stands behind it");
	check_words("a.pid,pid", "--key \"a.pid\": no field \"b.NAME\" stands behind it");
	check_words("b.pid", "--key \"b.pid\": no field \"a.NAME\" stands before it");
	check_words("b.pid=a.pid", "--key \"pid=pid\": the first event's field stands first");
	check_words("a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a", "--key: more than 16 fields");
}

static const char event[] =
	"name: event\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:pid_t number;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:char name[16];\toffset:12;\tsize:16;\tsigned:0;\n"
	"\tfield:char longer[32];\toffset:28;\tsize:32;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:60;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 large;\toffset:64;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%d\", REC->number\n";

/* size: bytes of the key, as it is for both; 0: it is refused, with these words. */
static void check_plan(const char *text, unsigned int size, const char *why)
{
	struct format_error error;
	struct format *format;
	const struct format *formats[2];
	struct key keys[2] = {};
	struct key_names names;
	char *copy = strdup(text);
	struct fault fault = {};
	int err;

	if (!CHECK(!format__parse(&format, "test", event, strlen(event), &error)))
		exit(1);
	formats[0] = formats[1] = format;
	CHECK(!key_names__parse(&names, copy, &fault));
	err = key_pair__plan(keys, formats, &names, &fault);
	if (size) {
		check_report(!err, __FILE__, __LINE__, "%s: %s", text, fault.text);
		CHECK_INT(keys[0].size - KEY_VALUES, size);
		CHECK_INT(keys[1].size - KEY_VALUES, size);
		for (size_t i = 0; i < names.count; i++) {
			CHECK_INT(keys[0].parts[i].offset, keys[1].parts[i].offset);
			CHECK_INT(keys[0].parts[i].size, keys[1].parts[i].size);
		}
	} else {
		CHECK(err);
		check_report(strstr(fault.text, why) != NULL, __FILE__, __LINE__, "%s: \"%s\", expected \"%s\"", text, fault.text, why);
	}
	for (int side = 0; side < 2; side++)
		key__free(&keys[side]);
	format__free(format);
	free(copy);
}

static void test_plans(void)
{
	check_plan("number", 8, NULL);
	check_plan("number=large,tid,cpu", 24, NULL);
	/* an array needs a byte more, and all have the room of the larger one */
	check_plan("name=comm", 24, NULL);
	check_plan("comm", 16, NULL);
	check_plan("name=longer,number", 48, NULL);
	check_plan("path", 136, NULL);
	check_plan("number=name", 0, "number of the first event is a number and name of the second a text in the event: they are never equal");
	check_plan("name=path", 0, "name of the first event is a text in the event and path of the second a text of any length");
	check_plan("comm=tid", 0, "they are never equal");
	check_plan("nothing", 0, "has no field \"nothing\"");
	check_plan("number=nothing", 0, "has no field \"nothing\"");
	check_plan("path,path,path", 408, NULL);
	check_plan("path,path,path,path", 0, "bytes");
}

int main(void)
{
	test_words();
	test_plans();
	return check_done();
}
