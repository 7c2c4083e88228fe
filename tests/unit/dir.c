/* SPDX-License-Identifier: BSD-2-Clause */
/* A relative path behind the names of its folder. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lib/print/dir.h"

static const char names[] = "conf\0nginx\0etc";	/* and the last one's 0 byte */

static void test_join(void)
{
	char path[64];

	CHECK_INT(dir__join(path, sizeof(path), "a", 2, names, sizeof(names), false), sizeof("/etc/nginx/conf/a"));
	CHECK_STR(path, "/etc/nginx/conf/a");
	CHECK_INT(dir__join(path, sizeof(path), "../b", 5, names, sizeof(names), true), sizeof(".../etc/nginx/conf/../b"));
	CHECK_STR(path, ".../etc/nginx/conf/../b");
	/* the root has no name */
	CHECK_INT(dir__join(path, sizeof(path), "a/b", 4, NULL, 0, false), sizeof("/a/b"));
	CHECK_STR(path, "/a/b");
	CHECK_INT(dir__join(path, sizeof(path), "a/b", 4, NULL, 0, true), sizeof("a/b"));
	CHECK_STR(path, "a/b");
	/* a last name without its 0 byte, as a record may be cut */
	CHECK_INT(dir__join(path, sizeof(path), "a", 2, names, sizeof(names) - 2, true), sizeof(".../et/nginx/conf/a"));
	CHECK_STR(path, ".../et/nginx/conf/a");
}

/* As much room as it takes, and one byte less; memory that is not its own would stop the sanitizer. */
static void test_room(void)
{
	static const struct {
		const char *joined;
		bool is_cut;
	} cases[] = { { "/etc/nginx/conf/a", false }, { ".../etc/nginx/conf/a", true } };

	for (size_t i = 0; i < 2; i++) {
		size_t size = strlen(cases[i].joined) + 1;

		for (size_t room = 0; room <= size; room++) {
			char *path = malloc(room + 1);

			if (!path)
				exit(1);
			path[room] = '?';
			CHECK_INT(dir__join(path, room, "a", 2, names, sizeof(names), cases[i].is_cut), room < size ? 0 : size);
			CHECK_INT(path[room], '?');
			free(path);
		}
	}
}

int main(void)
{
	test_join();
	test_room();
	return check_done();
}
