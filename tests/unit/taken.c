/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows that are handed over instead of written (out__take_rows()), and what lib/print/taken makes of them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "lib/print/piece.h"
#include "lib/print/taken.h"

static bool hidden = false;

static const struct out_column columns[] = {
	{ "PID", -7, NULL, NULL },
	{ "TID", -7, &hidden, NULL },
	{ "COMM", -16, NULL, NULL },
	{ "FD", 3, NULL, NULL },
	{ "MODE", -6, NULL, NULL },
	{ "LAT(ms)", 10, NULL, "lat_ms" },
	{ "ARGS", 0, NULL, NULL },
	{ "PATH", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};
#define ALL { true, true, true, true, true, true, true, true }

static char last[4096];
static size_t last_size;
static int rows;

/* Keeps the row, with its marks as |. */
static void keep(void *ctx, const char *row, size_t size)
{
	CHECK(ctx == last);
	memcpy(last, row, size);
	last[size] = 0;
	last_size = size;
	for (size_t i = 0; i < size; i++)
		if (last[i] == OUT_MARK)
			last[i] = '|';
	rows++;
}

static struct out take(const bool *wanted, bool json)
{
	struct out out = { .sink.fd = -1, .json = json, .time = true, .columns = columns };

	if (out__open(&out))
		exit(1);
	out__take_rows(&out, wanted, keep, last);
	return out;
}

static void put_row(struct out *out, int pid, const char *comm, int fd, const char *args, size_t args_size, const char *path, uint64_t more)
{
	out__row(out, 12345);
	out__int(out, pid);
	out__int(out, pid + 1);
	out__string(out, comm, 16);
	out__int(out, fd);
	out__octal(out, 0644);
	out__milliseconds(out, 1005);
	out__strings(out, args, args_size, 0);
	out__path(out, path, 100, more);
	out__list(out, "stack", "a\0b", 4, "");
	out__end(out);
}

static void test_text(void)
{
	const bool all[] = ALL, some[] = { false, true, false, false, false, false, false, true };
	struct out out = take(all, false);

	put_row(&out, 7, "a b", 3, "ls\0-l\0", 6, "/tmp/x y", 0);
	CHECK_STR(last, "7|8|a b|3|0644|1.005|ls -l|/tmp/x y");
	put_row(&out, 123456789, "a\x1f\\", -1, "", 0, "", 0);
	/* no mark in a value; an empty list has its place */
	CHECK_STR(last, "123456789|123456790|a\\x1f\\\\|-1|0644|1.005||''");
	put_row(&out, 1, "x", 100, "\0\0", 2, "/long", 1);
	CHECK_STR(last, "1|2|x|100|0644|1.005|'' ''|/long [+more]");
	put_row(&out, 1, "x", 100, "a\0", 2, NULL, 0);
	CHECK_STR(last, "1|2|x|100|0644|1.005|a|<fault>");
	/* a value has no blanks before or after it, also none in the place of an empty one */
	put_row(&out, 1, "", 100, "a\0", 2, "/x", 0);
	CHECK_STR(last, "1|2||100|0644|1.005|a|/x");
	out__line(&out, "no row", 6);
	CHECK_INT(out.used, 0);
	CHECK_INT(out.rows_written, 5);
	CHECK_INT(out.error, 0);
	out__free(&out);
	out = take(some, false);
	put_row(&out, 7, "sh", 3, "ls\0", 3, "/etc/passwd", 0);
	CHECK_STR(last, "8|/etc/passwd");
	out__free(&out);
}

static void test_json(void)
{
	const bool some[] = { true, false, true, false, true, true, true, true };
	struct out out = take(some, true);

	put_row(&out, 7, "a\"\xff", 3, "ls\0-l\0", 6, "/x", 2);
	CHECK_STR(last, ",\"pid\":7,\"comm\":\"a\\\"\xef\xbf\xbd\",\"comm_hex\":\"6122ff\",\"mode\":420,\"lat_ms\":1.005,\"args\":[\"ls\",\"-l\"],"
		  "\"args_more\":0,\"path\":\"/x\",\"path_more\":2");
	out__free(&out);
}

/* Values that are copied from the row before (piece.h) are the same. */
static void test_piece(void)
{
	const bool all[] = ALL;
	struct out out = take(all, false);
	struct piece piece = { .begin = NULL };

	for (int i = 0; i < 2; i++) {
		out__row(&out, 1);
		if (!piece__again(&out, &piece)) {
			piece__begin(&out, &piece);
			out__int(&out, 5);
			out__int(&out, 6);
			out__string(&out, "comm", 4);
			piece__end(&out, &piece);
		}
		out__int(&out, i);
		out__octal(&out, 0);
		out__milliseconds(&out, 0);
		out__strings(&out, "a", 2, 0);
		out__no_path(&out);
		out__end(&out);
		CHECK_STR(last, i ? "5|6|comm|1|0|0.000|a|-" : "5|6|comm|0|0|0.000|a|-");
	}
	out__free(&out);
}

/* A row with too few or too many values is refused, as ever. */
static void test_wrong_row(void)
{
	const bool all[] = ALL;

	for (int values = 7; values <= 9; values++) {
		struct out out = take(all, false);

		rows = 0;
		out__row(&out, 1);
		for (int i = 0; i < values; i++)
			out__int(&out, i);
		out__end(&out);
		CHECK_INT(rows, values == 8);
		CHECK_INT(out.error, values == 8 ? 0 : -EPROTO);
		CHECK_STR(out__error(&out) ?: "", values == 7 ?
			  "a row has 7 values for 8 columns, none for PATH (a bug in this tool: please report it)" :
			  values == 9 ? "a row has more values than its 8 columns (a bug in this tool: please report it)" : "");
		out__free(&out);
	}
}

static void test_split(void)
{
	struct taken values[2];

	CHECK_INT(taken__split("a\x1f""b c\x1f", 6, values, 2), 3);
	CHECK_INT(values[0].size, 1);
	CHECK_INT(values[1].size, 3);
	CHECK_INT(taken__split("", 0, values, 2), 1);
	CHECK_INT(values[0].size, 0);
}

static struct taken value_of(const char *text)
{
	return (struct taken){ text, strlen(text) };
}

static void test_members(void)
{
	const char row[] = ",\"a\":\"x\\\",\\\\\",\"b\":[1,{\"c\":\",]\"}],\"d\":-1.5", *at = row, *end = row + sizeof(row) - 1;
	struct taken_member member;

	CHECK(taken__next_member(&at, end, &member));
	CHECK(!strncmp(member.key.bytes, "a", member.key.size) && member.key.size == 1);
	CHECK_INT(member.value.size, 8);
	CHECK(taken__next_member(&at, end, &member));
	CHECK_INT(member.value.size, 14);
	CHECK(taken__next_member(&at, end, &member));
	CHECK_INT(member.value.size, 4);
	CHECK(!strncmp(member.value.bytes, "-1.5", 4));
	CHECK(!taken__next_member(&at, end, &member));
}

static int number(const char *text, uint64_t scale, uint64_t *result)
{
	struct taken value = value_of(text);

	*result = 0;
	return taken__number(&value, scale, result);
}

static void test_numbers(void)
{
	uint64_t result;

	CHECK_INT(number("0", 1, &result), 0);
	CHECK_INT(result, 0);
	CHECK_INT(number("1.250", 1000000, &result), 0);
	CHECK_INT(result, 1250000);
	CHECK_INT(number("7.9", 1, &result), 0);
	CHECK_INT(result, 7);
	CHECK_INT(number("18446744073709551615", 1, &result), 0);
	CHECK(result == UINT64_MAX);
	CHECK_INT(number("18446744073709551616", 1, &result), -ERANGE);
	CHECK_INT(number("99999999999999999999999999", 1, &result), -ERANGE);
	CHECK_INT(number("18446744073709551615", 2, &result), -ERANGE);
	CHECK_INT(number("-1", 1, &result), -ERANGE);
	CHECK_INT(number("null", 1, &result), -ENODATA);
	CHECK_INT(number("\"7\"", 1, &result), -EINVAL);
	CHECK_INT(number("true", 1, &result), -EINVAL);
	CHECK_INT(number("", 1, &result), -EINVAL);
	CHECK_INT(number("-", 1, &result), -EINVAL);
	CHECK_INT(number("1x", 1, &result), -EINVAL);
}

static void check_text(const char *json, const char *expected)
{
	struct text_buffer text = text_buffer__growing(1000);
	struct taken value = value_of(json);
	char *all;

	taken__add_text(&text, &value);
	all = text_buffer__take(&text);
	CHECK_STR(all, expected);
	free(all);
}

static void test_as_text(void)
{
	check_text("\"cat\"", "cat");
	check_text("\"\"", "");
	check_text("\"a\\\"b\\\\c\\nd\"", "a\"b\\\\c\\nd");
	check_text("\"\\u001f\\u20ac\\ud83d\\ude00\"", "\\x1f\xe2\x82\xac\xf0\x9f\x98\x80");
	check_text("12", "12");
	check_text("null", "-");
	check_text("true", "yes");
	check_text("false", "no");
	check_text("[]", "");
	check_text("[\"a b\",\"c,\\\"\",3]", "a b c,\" 3");
	check_text("{\"x\":1}", "{\"x\":1}");
}

/* What was taken, in another table. */
static void test_written_again(void)
{
	static const struct out_column table[] = {
		{ "COMM", -6, NULL, NULL }, { "COUNT", 6, NULL, NULL }, { "PATH", 0, NULL, NULL }, { NULL, 0, NULL, NULL },
	};
	struct taken comm = value_of("\xc3\xa4h"), path = value_of("/x");
	struct taken members = value_of(",\"comm\":\"sh\",\"path\":\"/x\",\"path_more\":0,\"count\":5");
	char text[256] = "";

	for (int json = 0; json < 2; json++) {
		struct out out = { .sink.fd = memfd_create("out", MFD_CLOEXEC), .json = json, .columns = table };
		const char *row;

		if (out__open(&out))
			exit(1);
		out__header(&out);
		out__row(&out, 1);
		if (json) {
			out__taken_members(&out, &members, 3);
		} else {
			out__taken(&out, &comm);
			out__int(&out, 5);
			out__taken(&out, &path);
		}
		out__end(&out);
		CHECK_INT(out__flush(&out), 0);
		CHECK_INT(out.rows_written, 1);
		text[pread(out.sink.fd, text, sizeof(text) - 1, 0)] = 0;
		row = json ? strstr(text, ",\"comm\"") : text;
		CHECK_STR(row, json ? ",\"comm\":\"sh\",\"path\":\"/x\",\"path_more\":0,\"count\":5}\n" :
			  "COMM    COUNT PATH\n\xc3\xa4h          5 /x\n");
		close(out.sink.fd);
		out__free(&out);
	}
}

static void test_strings(void)
{
	static const char array[] = "[\"a\",\"b\\\"c\\u0041\",\"\"]", expected[] = "a\0b\"cA\0";
	const struct taken value = { array, sizeof(array) - 1 }, empty = { "[]", 2 };
	char strings[sizeof(array)];

	CHECK_INT(taken__strings(strings, &value), sizeof(expected));
	CHECK(!memcmp(strings, expected, sizeof(expected)));
	CHECK_INT(taken__strings(strings, &empty), 0);
}

int main(void)
{
	test_text();
	test_json();
	test_piece();
	test_wrong_row();
	test_split();
	test_members();
	test_numbers();
	test_as_text();
	test_written_again();
	test_strings();
	return check_done();
}
