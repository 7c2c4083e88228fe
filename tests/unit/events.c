/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/events: listing, reading, and what is said of an event that is not there. */
#include "lib/format/events.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "corpus.h"
#include "lib/format/format.h"
#include "lib/kernel/tracefs.h"

static char folder[] = "/tmp/probelight-events.XXXXXX";

static void write_bytes(const char *name, const void *bytes, size_t length)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file || fwrite(bytes, 1, length, file) != length || fclose(file)) {
		perror(path);
		exit(1);
	}
}

static void write_file(const char *name, const char *text)
{
	write_bytes(name, text, strlen(text));
}

static void make_folder(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	corpus_mkdir(path);
}

static void test_list(void)
{
	struct events events;

	CHECK_INT(events__list(&events), 0);
	CHECK_INT(events.count, 9);
	CHECK_STR(events.names[0], "netlink/netlink_extack");
	CHECK_STR(events.names[1], "sample-trace/foo_bar");
	CHECK_STR(events.names[events.count - 1], "sample-trace/foo_with_template_simple");
	CHECK_INT(events.bad_lines, 0);
	events__free(&events);
	CHECK_INT(events.bad_directories, 0);
	/* directories that no kernel makes: one name would be two lines, another one colours, the last ends a C comment */
	make_folder("events/netlink/a\nb");
	make_folder("events/netlink/\033[31mred");
	make_folder("events/x*");
	make_folder("events/x*/int");
	CHECK_INT(events__list(&events), 0);
	CHECK_INT(events.count, 9);
	CHECK_INT(events.bad_lines, 0);
	CHECK_INT(events.bad_directories, 3);
	events__free(&events);

	/* the running kernel tells it in one file */
	write_file("available_events", "sched:sched_switch\nirq:softirq_entry\n\n");
	CHECK_INT(events__list(&events), 0);
	CHECK_INT(events.count, 2);
	CHECK_STR(events.names[0], "irq/softirq_entry");
	CHECK_STR(events.names[1], "sched/sched_switch");
	CHECK_INT(events.bad_lines, 0);
	events__free(&events);
	/* a line that names no event; a last line without its newline */
	write_file("available_events", "sched:sched_switch\n\ngarbage\nrubbish\nirq:softirq_entry");
	CHECK_INT(events__list(&events), 0);
	CHECK_INT(events.count, 2);
	CHECK_STR(events.names[0], "irq/softirq_entry");
	CHECK_INT(events.bad_lines, 2);
	CHECK_INT(events.first_bad_line, 3);
	events__free(&events);
	write_file("available_events", "a:b\nx*:int\n\033[31m:d\ne:f:g\n:h\n");
	CHECK_INT(events__list(&events), 0);
	CHECK_INT(events.count, 1);
	CHECK_STR(events.names[0], "a/b");
	CHECK_INT(events.bad_lines, 4);
	events__free(&events);
	write_bytes("available_events", "a:b\0c\nd:e\n\0f:g\nh:i", sizeof("a:b\0c\nd:e\n\0f:g\nh:i") - 1);
	CHECK_INT(events__list(&events), 0);
	CHECK_INT(events.count, 2);
	CHECK_STR(events.names[0], "d/e");
	CHECK_STR(events.names[1], "h/i");
	CHECK_INT(events.bad_lines, 2);
	CHECK_INT(events.first_bad_line, 1);
	events__free(&events);
	write_file("available_events", "");
	CHECK_INT(events__list(&events), 0);
	CHECK_INT(events.count, 0);
	events__free(&events);
}

static const char *why_not(const char *system, const char *name, int expected)
{
	static struct fault fault;
	struct format *format = NULL;

	*fault.text = 0;
	CHECK_INT(events__format(system, name, &format, &fault), expected);
	return fault.text;
}

static void test_formats(void)
{
	struct format *format = NULL;
	struct fault fault;

	CHECK_INT(events__format("netlink", "netlink_extack", &format, &fault), 0);
	CHECK_STR(format->system, "netlink");
	CHECK_STR(format->name, "netlink_extack");
	format__free(format);
	CHECK_INT(events__format_of_struct("tp_netlink__netlink_extack", &format, &fault), 0);
	CHECK_STR(format->name, "netlink_extack");
	format__free(format);
	/* "-" is "_" in C */
	CHECK_INT(events__format_of_struct("tp_sample_trace__foo_bar", &format, &fault), 0);
	CHECK_STR(format->system, "sample-trace");
	CHECK_STR(format->name, "foo_bar");
	format__free(format);

	CHECK_STR(why_not("netlink", "netlink_extak", -ENOENT),
		  "event netlink/netlink_extak: the kernel has no such event; "
		  "the nearest is netlink/netlink_extack (if it belongs to a module, load that first)");
	/* the right name in the wrong system */
	CHECK_STR(why_not("net", "netlink_extack", -ENOENT), "event net/netlink_extack: the kernel has no such event; "
		  "the nearest is netlink/netlink_extack (if it belongs to a module, load that first)");
	CHECK_STR(why_not("nothing", "like_this_at_all", -ENOENT),
		  "event nothing/like_this_at_all: the kernel has no such "
		  "event (if it belongs to a module, load that first)");
	CHECK_STR(why_not("../netlink", "netlink_extack", -EINVAL),
		  "event ../netlink/netlink_extack: is no name of an event "
		  "(SYSTEM/NAME is one)");
	CHECK_STR(why_not("netlink", "", -EINVAL), "event netlink/: is no name of an event (SYSTEM/NAME is one)");
	CHECK_INT(events__format_of_struct("tp_nothing", &format, &fault), -EINVAL);
	CHECK_STR(fault.text, "struct tp_nothing: does not name an event (tp_SYSTEM__NAME does)");
	CHECK_INT(events__format_of_struct("tp_netlink__netlink_extak", &format, &fault), -ENOENT);
	CHECK(strstr(fault.text, "the nearest is netlink/netlink_extack"));

	write_file("events/netlink/netlink_extack/format", "name: netlink_extack\nID: 1\nformat:\n\tfield:int a\n");
	CHECK_STR(why_not("netlink", "netlink_extack", -EINVAL),
		  "event netlink/netlink_extack: line 4 of its format file: a semicolon is missing");
}

/* What a copy may have in the place of a file: none of it is waited for, nor read without end. */
static void test_no_file(void)
{
	static const char no_file[] =
		"event odd/odd: its format is no regular file, but a directory, a FIFO or the like";
	struct events events;
	char path[256];

	make_folder("events/odd");
	make_folder("events/odd/odd");
	snprintf(path, sizeof(path), "%s/events/odd/odd/format", folder);
	CHECK_INT(mkfifo(path, 0600), 0);
	CHECK_STR(why_not("odd", "odd", -EBADF), no_file);
	unlink(path);
	CHECK_INT(symlink("/dev/zero", path), 0);
	CHECK_STR(why_not("odd", "odd", -EBADF), no_file);
	unlink(path);
	make_folder("events/odd/odd/format");
	CHECK_STR(why_not("odd", "odd", -EBADF), no_file);
	rmdir(path);
	/* nor is the empty file taken for one of these: it is read, as those of tracefs are, whose size is 0 */
	write_file("events/odd/odd/format", "");
	CHECK_STR(why_not("odd", "odd", -EINVAL),
		  "event odd/odd: line 1 of its format file: the text ends here, before its print fmt");

	snprintf(path, sizeof(path), "%s/available_events", folder);
	CHECK_INT(mkfifo(path, 0600), 0);
	CHECK_INT(events__list(&events), -EBADF);
	unlink(path);
}

static void test_large(void)
{
	char *text = malloc(10 << 20);

	memset(text, 'x', (10 << 20) - 1);
	text[(10 << 20) - 1] = 0;
	write_file("events/netlink/netlink_extack/format", text);
	free(text);
	CHECK_STR(why_not("netlink", "netlink_extack", -EFBIG),
		  "event netlink/netlink_extack: its format file is larger than any format file");
}

static void test_struct_names(void)
{
	char tag[64];

	CHECK_INT(events__struct_name("sched", "sched_switch", tag, sizeof(tag)), 0);
	CHECK_STR(tag, "tp_sched__sched_switch");
	CHECK_INT(events__struct_name("sample-trace", "a.b", tag, sizeof(tag)), 0);
	CHECK_STR(tag, "tp_sample_trace__a_b");
	CHECK_INT(events__struct_name("sched", "sched_switch", tag, 10), -ENAMETOOLONG);
}

int main(void)
{
	static const char *const wanted[] = { "netlink", "sample-trace", "ftrace", NULL };
	char path[256];

	/* what waits for a FIFO fails */
	alarm(60);
	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	corpus_unpack("6.12-lat-with-sample-module", folder, wanted);
	/* a file among the directories, as tracefs has it */
	write_file("events/enable", "0\n");
	write_file("events/netlink/filter", "none\n");
	tracefs__use(folder);
	test_list();
	snprintf(path, sizeof(path), "%s/available_events", folder);
	unlink(path);
	test_formats();
	test_no_file();
	test_large();
	test_struct_names();
	corpus_remove(folder);
	return check_done();
}
