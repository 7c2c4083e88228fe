/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values out of JSON text, and out of what is none: each text lies in memory of just its size, where a sanitizer sees what
 * is read beyond.
 */
#include <stdlib.h>

#include "check.h"
#include "lib/print/json_value.h"

static struct json_value value_of(const char *text)
{
	size_t size = strlen(text);
	char *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, text, size);
	return (struct json_value){ copy, copy + size };
}

/* The member of that name of an object's member "in", as text; what: none, or no string. */
static void check_member(const char *text, const char *name, const char *expected)
{
	struct json_value object = value_of(text), in, value;
	char got[32] = "none";

	if (json_value__member(object, "in", &in) && json_value__member(in, name, &value) && !json_value__string(value, got, sizeof(got)))
		strcpy(got, "no string");
	check_str(got, expected, text, __FILE__, __LINE__);
	free((void *)object.at);
}

static void check_elements(const char *text, int expected)
{
	struct json_value list = value_of(text), element;
	void *begin = (void *)list.at;
	int count = 0;

	while (json_value__next(&list, &element))
		count++;
	check_int(count, expected, text, __FILE__, __LINE__);
	free(begin);
}

int main(void)
{
	check_member("{\"in\":{\"a\":\"x\"}}", "a", "x");
	check_member(" { \"before\" : [ 1, { \"a\" : \"}\\\"]\" } ] ,\n\"in\" : { \"b\" : null , \"a\" : \"y\" } } ", "a", "y");
	check_member("{\"in\":{\"a.b/c\":\"x\",\"a\":\"y\"}}", "a.b/c", "x");
	check_member("{\"in\":{\"\\u0061\":\"first\",\"a\":\"second\"}}", "a", "first");
	check_member("{\"in\":{\"a\":\"\\u00e9\\ud83d\\ude00\\n\\t\\\\\\/\"}}", "a", "\303\251\360\237\230\200\n\t\\/");
	check_member("{\"in\":{\"a\":\"\\u0000\\ud83dx\"}}", "a", "??x");
	check_member("{\"in\":{\"a\":\"1234567890123456789012345678901\"}}", "a", "1234567890123456789012345678901");
	check_member("{\"in\":{\"a\":\"12345678901234567890123456789012\"}}", "a", "no string");
	check_member("{\"in\":{\"a\":17}}", "a", "no string");
	check_member("{\"in\":{\"a\":\"\\x\"}}", "a", "no string");
	check_member("{\"in\":{\"a\":\"\\u12g4\"}}", "a", "no string");
	check_member("{\"in\":{}}", "a", "none");
	check_member("{\"in\":[\"a\"]}", "a", "none");
	check_member("{\"in\":{\"a\"", "a", "none");
	check_member("{\"in\":{\"a\":", "a", "none");
	check_member("{\"in\":{\"a\":\"x", "a", "none");
	check_member("{\"in\":{\"a\":\"x\\", "a", "none");
	check_member("{\"in", "a", "none");
	check_member("", "a", "none");
	check_member("[[[[[[[[[[[[[[", "a", "none");
	check_member("{\"in\":{,\"a\":\"x\"}}", "a", "none");
	check_elements("[]", 0);
	check_elements("[1]", 1);
	check_elements(" [ {\"a\":[1,2]} , \"],\" , [[]] ] ", 3);
	check_elements("[1,2", 2);
	check_elements("[1,[2", 1);
	check_elements("{}", 0);
	check_elements("", 0);
	return check_done();
}
