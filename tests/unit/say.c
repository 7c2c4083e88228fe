/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/say: a message is one line, whatever the names in it are. */
#include "lib/print/say.h"

#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static void say_name(const char *name)
{
	say("'%s' cannot be read", name);
}

static void start(const char *unused)
{
	(void)unused;
	say__started();
}

static void say_warning(const char *what)
{
	say__warning("%s is not seen", what);
}

static void check(void (*speak)(const char *text), const char *text, const char *expected)
{
	char got[256];
	int fds[2], saved = dup(2);
	ssize_t size;

	if (saved < 0 || pipe(fds) || dup2(fds[1], 2) < 0)
		exit(1);
	speak(text);
	dup2(saved, 2);
	close(saved);
	close(fds[1]);
	size = read(fds[0], got, sizeof(got) - 1);
	close(fds[0]);
	got[size > 0 ? size : 0] = '\0';
	CHECK_STR(got, expected);
}

int main(void)
{
	say__name("tool");
	check(say_name, "file", "tool: 'file' cannot be read\n");
	check(say_name, "two\nlines\033[31m", "tool: 'two\\nlines\\x1b[31m' cannot be read\n");
	check(say_name, "\xe2\x80\xae\xc3\xa9\xff", "tool: '\\xe2\\x80\\xae\xc3\xa9\\xff' cannot be read\n");
	/* those of a start wait, and come in their order */
	check(say_warning, "one", "");
	check(say_warning, "an\nother", "");
	check(start, NULL, "tool: warning: one is not seen\ntool: warning: an\\nother is not seen\n");
	check(say_warning, "later", "tool: warning: later is not seen\n");
	check(start, NULL, "");
	return check_done();
}
