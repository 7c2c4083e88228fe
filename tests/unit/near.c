/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/near: both measures, and which names are kept. */
#include "lib/print/near.h"

#include "check.h"

static void test_edits(void)
{
	CHECK_INT(near__edits("switch", "switch", 5), 0);
	CHECK_INT(near__edits("swich", "switch", 5), 1);
	CHECK_INT(near__edits("switch", "swtich", 5), 2);
	CHECK_INT(near__edits("", "abc", 5), 3);
	CHECK_INT(near__edits("abc", "", 5), 3);
	CHECK_INT(near__edits("kitten", "sitting", 9), 3);
	/* anything from the limit on is the limit */
	CHECK_INT(near__edits("kitten", "sitting", 3), 3);
	CHECK_INT(near__edits("a", "entirely different", 4), 4);
	CHECK_INT(near__edits("", "", 0), 0);
}

static void test_pairs(void)
{
	struct near_pairs pairs;

	near_pairs__init(&pairs, "do_unlinkat");
	CHECK_INT(near_pairs__distance(&pairs, "do_unlinkat"), 0);
	CHECK(near_pairs__distance(&pairs, "do_unlnikat") < 1000);
	CHECK(near_pairs__distance(&pairs, "filename_unlinkat") < NEAR_UNLIKE - 450);
	CHECK_INT(near_pairs__distance(&pairs, "x"), NEAR_UNLIKE);
	CHECK(near_pairs__distance(&pairs, "schedule") > NEAR_UNLIKE - 450);
	near_pairs__init(&pairs, "");
	CHECK_INT(near_pairs__distance(&pairs, "x"), NEAR_UNLIKE);
	near_pairs__distance(&pairs, "");
}

static void test_list(void)
{
	struct near near;
	char name[NEAR_NAME_MAX + 10];

	near__init(&near, 10, 3);
	CHECK_INT(near__limit(&near), 10);
	near__add(&near, "far", 10);
	CHECK_INT(near.count, 0);
	near__add(&near, "b", 5);
	near__add(&near, "c", 5);
	near__add(&near, "a", 1);
	near__add(&near, "a", 1);
	near__add(&near, "b", 5);
	CHECK_INT(near.count, 3);
	CHECK_STR(near.names[0], "a");
	CHECK_STR(near.names[1], "b");
	CHECK_STR(near.names[2], "c");
	CHECK_INT(near__limit(&near), 5);
	near__add(&near, "d", 5);
	near__add(&near, "e", 4);
	CHECK_STR(near.names[1], "e");
	CHECK_STR(near.names[2], "b");
	/* longer than its room: cut */
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	near__add(&near, name, 0);
	CHECK_INT(strlen(near.names[0]), NEAR_NAME_MAX - 1);
	near__init(&near, 10, 0);
	near__add(&near, "a", 0);
	CHECK_INT(near.count, 0);
}

int main(void)
{
	test_edits();
	test_pairs();
	test_list();
	return check_done();
}
