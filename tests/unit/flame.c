/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flame graphs: what is as wide as what.  With a file as argument it writes a picture of names of all sorts there, for
 * tests/host/flame, which reads it as XML.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "lib/print/flame.h"

static struct flame *make(void)
{
	static const struct flame_frame script[] = {
		{ "main", FLAME_USER }, { "</title><script>alert(1)</script>", FLAME_USER }, { "vfs_read", FLAME_KERNEL },
	};
	static const struct flame_frame bytes[] = {
		{ "main", FLAME_USER }, { "\x01\x1b[31m\n\xff\xc3\xa4\xe2\x80\xae]]>&amp;'\"", FLAME_USER }, { "", FLAME_USER },
	};
	static const struct flame_frame again[] = { { "main", FLAME_USER }, { "main", FLAME_KERNEL } };
	char longest[2000];
	struct flame_frame deep[250];
	struct flame *flame = flame__new();

	CHECK_INT(flame__add(flame, script, 3, 70), 0);
	CHECK_INT(flame__add(flame, bytes, 3, 20), 0);
	CHECK_INT(flame__add(flame, script, 2, 5), 0);
	CHECK_INT(flame__add(flame, again, 2, 4), 0);
	CHECK_INT(flame__add(flame, again, 1, 1), 0);
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = 0;
	for (size_t i = 0; i < 250; i++)
		deep[i] = (struct flame_frame){ longest, FLAME_REMARK };
	CHECK_INT(flame__add(flame, deep, 250, 100), 0);
	return flame;
}

static void check_picture(void)
{
	struct flame *flame = make(), *empty = flame__new();
	int fd = memfd_create("flame", MFD_CLOEXEC);
	off_t size;
	char *text;

	CHECK_INT(flame__write(flame, fd, "test", "samples"), 0);
	size = lseek(fd, 0, SEEK_END);
	text = calloc(1, (size_t)size + 1);
	CHECK(pread(fd, text, (size_t)size, 0) == size);
	CHECK(strstr(text, "data-x=\"0\" data-n=\"200\" data-d=\"0\"><title>all (200 samples, 100.00 %)</title>"));
	CHECK(strstr(text, "data-x=\"0\" data-n=\"100\" data-d=\"1\"><title>main (100 samples, 50.00 %)</title>"));
	CHECK(strstr(text, "data-n=\"75\" data-d=\"2\"><title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; (75 samples"));
	CHECK(strstr(text, "data-n=\"70\" data-d=\"3\"><title>vfs_read (70 "));
	CHECK(strstr(text, "<title>\\x01\\x1b[31m\\n\\xff\xc3\xa4\\xe2\\x80\\xae]]&gt;&amp;amp;&#39;&quot; (20 "));
	/* the same name in the kernel is another function */
	CHECK(strstr(text, "data-n=\"4\" data-d=\"2\"><title>main (4 "));
	CHECK(strstr(text, "data-d=\"250\""));
	/* one script, ours */
	CHECK(strstr(text, "<script>") && !strstr(strstr(text, "<script>") + 1, "<script"));
	free(text);
	CHECK_INT(flame__write(empty, fd, "test", "samples"), 0);
	flame__free(empty);
	flame__free(flame);
	flame__free(NULL);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		struct flame *flame = make();
		int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

		CHECK(fd >= 0);
		CHECK_INT(flame__write(flame, fd, "test", "samples"), 0);
		flame__free(flame);
		return check_done();
	}
	check_picture();
	return check_done();
}
