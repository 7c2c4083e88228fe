/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/say: a message is one line, whatever the names in it are. */
#include "lib/print/say.h"

#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static void check_said(const char *name, const char *expected)
{
	char got[256];
	int fds[2], saved = dup(2);
	ssize_t size;

	if (saved < 0 || pipe(fds) || dup2(fds[1], 2) < 0)
		exit(1);
	say("'%s' cannot be read", name);
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
	check_said("file", "tool: 'file' cannot be read\n");
	check_said("two\nlines\033[31m", "tool: 'two\\nlines\\x1b[31m' cannot be read\n");
	check_said("\xe2\x80\xae\xc3\xa9\xff", "tool: '\\xe2\\x80\\xae\xc3\xa9\\xff' cannot be read\n");
	return check_done();
}
