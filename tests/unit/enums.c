/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/layout/enums.h, with BTF that is made here: mapped as since 6.16, and read through a window as before. */
#include <string.h>

#include "check.h"
#include "enum_table.h"
#include "lib/layout/rawbtf.h"

static bool find(const char *event, const char *name, struct enum_constant *constant)
{
	*constant = (struct enum_constant){};
	return enums__find(event, name, strlen(name), constant);
}

static struct btf *new_btf(void)
{
	struct btf *btf = btf__new_empty();

	btf__add_typedef(btf, "btf_trace_known", btf__add_func_proto(btf, 0));
	return btf;
}

static void test_values(void)
{
	struct btf *btf = new_btf();
	struct enum_constant constant;

	btf__add_enum(btf, "signed", 4);
	btf__add_enum_value(btf, "MINUS", -2);
	btf__add_enum_value(btf, "ONE", 1);
	btf__add_enum_value(btf, "TWICE", 7);
	btf__add_enum_value(btf, "TWICE_THE_SAME", 8);
	btf__add_enum(btf, NULL, 4);
	btf__add_enum_value(btf, "TWICE", 9);
	btf__add_enum_value(btf, "TWICE_THE_SAME", 8);
	/* it cannot be told from -1, as pahole before 1.24 wrote no sign */
	btf__add_enum_value(btf, "HIGH", 0xffffffff);
	/* the same pahole cut values of large enums */
	btf__add_enum(btf, "cut", 8);
	btf__add_enum_value(btf, "CUT", 1);
	btf__add_enum64(btf, "large", 8, false);
	btf__add_enum64_value(btf, "LARGE", 1ULL << 40);
	btf__add_enum64_value(btf, "SMALL", 3);
	enum_table_write(btf);

	CHECK(find("known", "ONE", &constant) && constant.value == 1 && constant.size == 4 && !constant.is_unsigned);
	CHECK(find("known", "MINUS", &constant) && constant.value == (uint64_t)-2 && constant.size == 4);
	CHECK(find("known", "TWICE_THE_SAME", &constant) && constant.value == 8);
	CHECK(find("known", "LARGE", &constant) && constant.value == 1ULL << 40 && constant.size == 8 && constant.is_unsigned);
	CHECK(find("known", "SMALL", &constant) && constant.value == 3 && constant.size == 4);
	CHECK(!find("known", "TWICE", &constant));
	CHECK(!find("known", "HIGH", &constant));
	CHECK(!find("known", "CUT", &constant));
	CHECK(!find("known", "ON", &constant));
	CHECK(!find("known", "signed", &constant));
	/* a module's event may mean another enum by the name */
	CHECK(!find("of_a_module", "ONE", &constant));
	btf__free(btf);
}

/* Enums that lie across the ends of the window, and one that has no room in it. */
static void test_window(void)
{
	struct btf *btf = new_btf();
	struct enum_constant constant;
	char name[32];

	for (int i = 0; i < 20000; i++) {
		if (i % 900 == 0)
			btf__add_enum(btf, NULL, 4);
		snprintf(name, sizeof(name), "NAME_%d", i);
		btf__add_enum_value(btf, name, i);
	}
	enum_table_write(btf);
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "NAME_%d", i);
		if (!CHECK(find("known", name, &constant) && constant.value == (uint64_t)i))
			break;
	}
	btf__add_enum(btf, NULL, 4);
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "MORE_%d", i);
		btf__add_enum_value(btf, name, i);
	}
	enum_table_write(btf);
	/* and more than there are slots for: nothing is known, and nothing hangs */
	for (int i = 0; i < 40000; i++) {
		if (i % 900 == 0)
			btf__add_enum(btf, NULL, 4);
		snprintf(name, sizeof(name), "MANY_%d", i);
		btf__add_enum_value(btf, name, i);
	}
	CHECK(find("known", "NAME_1", &constant) == rawbtf__may_map);
	enum_table_write(btf);
	CHECK(!find("known", "NAME_1", &constant));
	btf__free(btf);
}

int main(void)
{
	struct enum_constant constant;

	for (int i = 0; i < 2; i++) {
		rawbtf__may_map = i;
		test_values();
		test_window();
	}
	enums__use("/nonexistent");
	CHECK(!find("known", "ONE", &constant));
	enum_table_end();
	return check_done();
}
