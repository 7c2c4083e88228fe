/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/printfmt/enums.h, with BTF that is made here: mapped as since 6.16, and read through a window as before. */
#include <string.h>

#include "check.h"
#include "enum_table.h"
#include "lib/btf/rawbtf.h"

/* The answer where all names are known, as after questions about two texts. */
static bool find(const char *event, const char *name, struct enum_constant *constant)
{
	struct enum_constant none;

	enums__find(event, "one", "one", 3, &none);
	*constant = (struct enum_constant){};
	return enums__find(event, name, name, strlen(name), constant);
}

/* The same, where the names of one text alone are looked for: it has two others, which BTF has and has not. */
static bool find_alone(const char *event, const char *name, struct enum_constant *constant)
{
	struct enum_constant other;
	char text[128];
	bool found;

	enums__use(enum_table_path);
	snprintf(text, sizeof(text),
		 "\"%%s\", __print_symbolic(REC->a, { %s, \"quoted \\\" ONE\" }, { NOT_THERE, \"B\" }, { MINUS, \"%s\" })",
		 name, name);
	*constant = (struct enum_constant){};
	found = enums__find(event, text, name, strlen(name), constant);
	if (!strcmp(event, "known"))
		CHECK(enums__find(event, text, "MINUS", 5, &other) && other.value == (uint64_t)-2);
	CHECK(!enums__find(event, text, "NOT_THERE", 9, &other));
	/* it stands in quotes only, so that it is not looked for */
	if (strcmp(name, "ONE"))
		CHECK(!enums__find(event, text, "ONE", 3, &other));
	return found;
}

static struct btf *new_btf(void)
{
	struct btf *btf = btf__new_empty();

	btf__add_typedef(btf, "btf_trace_known", btf__add_func_proto(btf, 0));
	return btf;
}

static void test_values(bool (*find_one)(const char *event, const char *name, struct enum_constant *constant))
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

	CHECK(find_one("known", "ONE", &constant) && constant.value == 1 && constant.size == 4 && !constant.is_unsigned);
	CHECK(find_one("known", "MINUS", &constant) && constant.value == (uint64_t)-2 && constant.size == 4);
	CHECK(find_one("known", "TWICE_THE_SAME", &constant) && constant.value == 8);
	CHECK(find_one("known", "LARGE", &constant) && constant.value == 1ULL << 40 && constant.size == 8 && constant.is_unsigned);
	CHECK(find_one("known", "SMALL", &constant) && constant.value == 3 && constant.size == 4);
	CHECK(!find_one("known", "TWICE", &constant));
	CHECK(!find_one("known", "HIGH", &constant));
	CHECK(!find_one("known", "CUT", &constant));
	CHECK(!find_one("known", "ON", &constant));
	CHECK(!find_one("known", "signed", &constant));
	/* a module's event may mean another enum by the name */
	CHECK(!find_one("of_a_module", "ONE", &constant));
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
		test_values(find);
		test_values(find_alone);
		test_window();
	}
	enums__use("/nonexistent");
	CHECK(!find("known", "ONE", &constant));
	enum_table_end();
	return check_done();
}
