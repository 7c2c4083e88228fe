/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows: alignment, escaping, JSON that is valid whatever the bytes are, output errors. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "lib/print/out.h"
#include "lib/print/piece.h"

static bool hidden = false, shown = true;

static const struct out_column task_columns[] = {
	{ "PID", -7, NULL, NULL },
	{ "TID", -7, &hidden, NULL },
	{ "COMM", -8, NULL, NULL },
	{ "FD", 3, NULL, NULL },
	{ "FLAGS", -6, &shown, "open_flags" },
	{ "AGE(s)", 6, NULL, "age_s" },
	{ "PATH", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static const struct out_column one_column[] = {
	{ "PATH", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static struct out make_out(const struct out_column *columns, bool json)
{
	struct out out = { .sink.fd = memfd_create("out", MFD_CLOEXEC), .json = json, .columns = columns };

	if (out.sink.fd < 0 || out__open(&out)) {
		perror("out__open");
		exit(1);
	}
	return out;
}

/* All that was written so far; the caller frees it. Ends out. */
static char *finish(struct out *out)
{
	off_t size;
	char *text;

	CHECK_INT(out__flush(out), 0);
	size = lseek(out->sink.fd, 0, SEEK_END);
	text = malloc((size_t)size + 1);
	if (!text || pread(out->sink.fd, text, (size_t)size, 0) != size)
		exit(1);
	text[size] = 0;
	close(out->sink.fd);
	out__free(out);
	return text;
}

static void check_written(struct out *out, const char *expected, int line)
{
	char *text = finish(out);

	check_str(text, expected, "the output", __FILE__, line);
	free(text);
}

#define CHECK_WRITTEN(out, expected) check_written(out, expected, __LINE__)

static void put_row(struct out *out, int pid, const char *comm, int fd, const char *path)
{
	out__row(out, 12345);
	out__int(out, pid);
	out__int(out, pid + 1);
	out__string(out, comm, 16);
	out__int(out, fd);
	out__octal(out, 0644);
	out__milliseconds(out, 1005);
	out__string(out, path, 4096);
	out__end(out);
}

static void test_alignment(void)
{
	struct out out = make_out(task_columns, false);

	out__header(&out);
	put_row(&out, 1, "a", 3, "/etc/passwd");
	put_row(&out, 1234567, "kworker", -1, "x");
	/* longer than its column: nothing is cut, the line is pushed */
	put_row(&out, 12345678, "long-name", 12345, "");
	/* a character of more than one byte takes one place */
	put_row(&out, 2, "\xc3\xa9\xe2\x82\xac", 4, "/");
	CHECK_INT(out.rows_pending, 4);
	CHECK_WRITTEN(&out,
		      "PID     COMM      FD FLAGS  AGE(s) PATH\n"
		      "1       a          3 0644    1.005 /etc/passwd\n"
		      "1234567 kworker   -1 0644    1.005 x\n"
		      "12345678 long-name 12345 0644    1.005 \n"
		      "2       \xc3\xa9\xe2\x82\xac         4 0644    1.005 /\n");
	CHECK_INT(out.rows_written, 4);
}

/* A name that is longer than its column: the rows are aligned with it. */
static void test_long_names(void)
{
	static const struct out_column columns[] = {
		{ "SIGNAL", 3, NULL, NULL }, { "PROPAGATION", -4, NULL, NULL }, { "COUNT", 7, NULL, NULL }, { NULL, 0, NULL, NULL },
	};
	struct out out = make_out(columns, false);

	out__header(&out);
	out__row(&out, 0);
	out__int(&out, 10);
	out__string(&out, "slave", 8);
	out__int(&out, 162);
	out__end(&out);
	CHECK_WRITTEN(&out, "SIGNAL PROPAGATION   COUNT\n"
			    "    10 slave           162\n");
}

static void test_columns_are_asked_when_printed(void)
{
	struct out out = make_out(task_columns, false);

	shown = false;
	hidden = true;
	out__header(&out);
	put_row(&out, 1, "a", 3, "p");
	shown = true;
	hidden = false;
	CHECK_WRITTEN(&out, "PID     TID     COMM      FD AGE(s) PATH\n"
			    "1       2       a          3  1.005 p\n");
}

static void test_numbers(void)
{
	static const struct out_column columns[] = {
		{ "A", 0, NULL, NULL }, { "B", 0, NULL, NULL }, { "C", 0, NULL, NULL }, { "D", 0, NULL, NULL },
		{ "E", 0, NULL, NULL }, { "F", 0, NULL, NULL }, { "G", 0, NULL, NULL }, { NULL, 0, NULL, NULL },
	};

	for (int json = 0; json <= 1; json++) {
		struct out out = make_out(columns, json);

		out__row(&out, 0);
		out__int(&out, INT64_MIN);
		out__int(&out, INT64_MAX);
		out__octal(&out, 0);
		out__hex(&out, UINT64_MAX);
		out__hex(&out, 0);
		out__milliseconds(&out, UINT64_MAX);
		out__none(&out);
		out__end(&out);
		if (json) {
			char *text = finish(&out);

			CHECK(strstr(text, "\"a\":-9223372036854775808,\"b\":9223372036854775807,\"c\":0,"
					   "\"d\":18446744073709551615,\"e\":0,\"f\":18446744073709551.615,\"g\":null}\n"));
			free(text);
		} else {
			CHECK_WRITTEN(&out, "-9223372036854775808 9223372036854775807 0 0xffffffffffffffff 0x0 "
					    "18446744073709551.615 -\n");
		}
	}
}

/* Each width and side of a column, as printf(3) has it. */
static void test_aligned_numbers(void)
{
	static const int64_t values[] = { 0, 1, 9, 10, 42, 99, 100, 101, 9999, 10000, 4294967295, 4294967296, -1, -9, -99, -100,
					  INT64_MIN, INT64_MAX };
	static const int widths[] = { -40, -7, -2, -1, 0, 1, 2, 3, 6, 16, 17, 40 };

	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		const struct out_column columns[] = {
			{ "A", widths[i], NULL, NULL }, { "B", widths[i], NULL, NULL }, { "C", 0, NULL, NULL }, { NULL, 0, NULL, NULL },
		};

		for (size_t at = 0; at < sizeof(values) / sizeof(*values); at++) {
			struct out out = make_out(columns, false);
			char expected[200];

			out__row(&out, 0);
			out__int(&out, values[at]);
			out__int(&out, values[at]);
			out__int(&out, 7);
			out__end(&out);
			snprintf(expected, sizeof(expected), "%*lld %*lld 7\n", widths[i], (long long)values[at], widths[i],
				 (long long)values[at]);
			CHECK_WRITTEN(&out, expected);
		}
	}
}

/* The same with three decimals. */
static void test_aligned_milliseconds(void)
{
	static const uint64_t values[] = { 0, 1, 10, 99, 100, 999, 1000, 1001, 9999, 10000, 12345, 99999, 100000, 100001, 4294967296 };
	static const int widths[] = { -12, 0, 5, 6, 7, 12, 17 };

	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		const struct out_column columns[] = { { "A", widths[i], NULL, NULL }, { "B", widths[i], NULL, NULL }, { NULL, 0, NULL, NULL } };

		for (size_t at = 0; at < sizeof(values) / sizeof(*values); at++) {
			struct out out = make_out(columns, false);
			char number[32], expected[200];

			out__row(&out, 0);
			out__milliseconds(&out, values[at]);
			out__milliseconds(&out, values[at]);
			out__end(&out);
			snprintf(number, sizeof(number), "%llu.%03llu", (unsigned long long)values[at] / 1000,
				 (unsigned long long)values[at] % 1000);
			/* nothing stands behind the last value */
			snprintf(expected, sizeof(expected), "%*s %*s\n", widths[i], number, widths[i] > 0 ? widths[i] : 0, number);
			CHECK_WRITTEN(&out, expected);
		}
	}
}

static void check_text(const char *string, size_t size, const char *expected, int line)
{
	struct out out = make_out(one_column, false);
	char with_newline[256];

	out__row(&out, 0);
	out__string(&out, string, size);
	out__end(&out);
	snprintf(with_newline, sizeof(with_newline), "%s\n", expected);
	check_written(&out, with_newline, line);
}

#define CHECK_TEXT(string, expected) check_text(string, sizeof(string) - 1, expected, __LINE__)

static void test_escaping(void)
{
	CHECK_TEXT("plain \"quoted\" 'text'", "plain \"quoted\" 'text'");
	CHECK_TEXT("\033[31mred", "\\x1b[31mred");
	CHECK_TEXT("two\nlines\r\t", "two\\nlines\\x0d\\x09");
	CHECK_TEXT("back\\slash", "back\\\\slash");
	CHECK_TEXT("\x01\x1f\x7f", "\\x01\\x1f\\x7f");
	/* C1: a CSI in one character, U+009B; U+00A0 is none any more */
	CHECK_TEXT("\xc2\x9b" "0m\xc2\x80\xc2\x9f\xc2\xa0", "\\xc2\\x9b0m\\xc2\\x80\\xc2\\x9f\xc2\xa0");
	CHECK_TEXT("\xff\xfe\x80", "\\xff\\xfe\\x80");
	CHECK_TEXT("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	/* what reorders or hides: exe.png that is gnp.exe, an empty-looking name, a name that another one cannot be told from */
	CHECK_TEXT("\xe2\x80\xaegnp.exe", "\\xe2\\x80\\xaegnp.exe");
	CHECK_TEXT("a\xe2\x80\x8b" "b\xef\xbb\xbf", "a\\xe2\\x80\\x8bb\\xef\\xbb\\xbf");
	CHECK_TEXT("\xe2\x81\xa6\xd8\x9c\xc2\xad", "\\xe2\\x81\\xa6\\xd8\\x9c\\xc2\\xad");
	CHECK_TEXT("\xf3\xa0\x81\xa1\xe2\x9d\xa4\xef\xb8\x8f", "\\xf3\\xa0\\x81\\xa1\xe2\x9d\xa4\\xef\\xb8\\x8f");
	CHECK_TEXT("\xe2\x80\xa8\xe2\x80\xa7", "\\xe2\\x80\\xa8\xe2\x80\xa7");
	/* overlong, surrogates, beyond Unicode, cut */
	CHECK_TEXT("\xc0\xaf", "\\xc0\\xaf");
	CHECK_TEXT("\xe0\x80\xaf", "\\xe0\\x80\\xaf");
	CHECK_TEXT("\xed\xa0\x80", "\\xed\\xa0\\x80");
	CHECK_TEXT("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	CHECK_TEXT("a\xe2\x82", "a\\xe2\\x82");
	/* up to a 0 byte, or to the size */
	CHECK_TEXT("before\0behind", "before");
	check_text("cut here", 3, "cut", __LINE__);
	CHECK_TEXT("", "");
	check_text(NULL, 0, "<fault>", __LINE__);
}

static void check_json(const char *string, size_t size, const char *expected, int line)
{
	struct out out = make_out(one_column, true);
	const char *path;
	char *text;

	out__row(&out, 0);
	out__string(&out, string, size);
	out__end(&out);
	text = finish(&out);
	path = strstr(text, ",\"path\":");
	check_str(path ? path + 1 : text, expected, "the value", __FILE__, line);
	free(text);
}

#define CHECK_JSON(string, expected) check_json(string, sizeof(string) - 1, expected "}\n", __LINE__)

static void test_json_strings(void)
{
	CHECK_JSON("plain", "\"path\":\"plain\"");
	CHECK_JSON("a\"b\\c/d", "\"path\":\"a\\\"b\\\\c/d\"");
	CHECK_JSON("\n\t\001\033\177", "\"path\":\"\\n\\u0009\\u0001\\u001b\\u007f\"");
	/* a terminal that shows the JSON must be safe too */
	CHECK_JSON("\xc2\x9b", "\"path\":\"\\u009b\"");
	CHECK_JSON("\xc3\xa9\xf0\x9f\x98\x80", "\"path\":\"\xc3\xa9\xf0\x9f\x98\x80\"");
	/* valid JSON as they are, but reordered or hidden where it is shown; beyond U+FFFF as a surrogate pair */
	CHECK_JSON("\xe2\x80\xaegnp.exe", "\"path\":\"\\u202egnp.exe\"");
	CHECK_JSON("\xf3\xa0\x81\xa1", "\"path\":\"\\udb40\\udc61\"");
	CHECK_JSON("\xe2\x80\xa8\xe2\x80\xa7\xef\xbb\xbf", "\"path\":\"\\u2028\xe2\x80\xa7\\ufeff\"");
	CHECK_JSON("a\xff" "b", "\"path\":\"a\xef\xbf\xbd" "b\",\"path_hex\":\"61ff62\"");
	/* one replacement character for a maximal part of a sequence (Unicode 15, 3.9, table 3-8) */
	CHECK_JSON("\xe2\x82", "\"path\":\"\xef\xbf\xbd\",\"path_hex\":\"e282\"");
	CHECK_JSON("\xf0\x80\x80", "\"path\":\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\",\"path_hex\":\"f08080\"");
	/* U+FFFD that was there is no damage */
	CHECK_JSON("\xef\xbf\xbd", "\"path\":\"\xef\xbf\xbd\"");
	check_json(NULL, 0, "\"path\":null}\n", __LINE__);
}

static void test_json_rows(void)
{
	struct out out = make_out(task_columns, true);
	char *text, *time;

	out.time = true;
	out__header(&out);
	put_row(&out, 1, "a", 3, "/");
	text = finish(&out);
	/* all columns, also those that are not shown; keys of their own */
	CHECK(strstr(text, ",\"pid\":1,\"tid\":2,\"comm\":\"a\",\"fd\":3,\"open_flags\":420,\"age_s\":1.005,\"path\":\"/\"}\n"));
	CHECK(!strncmp(text, "{\"ts_ns\":12345,\"time\":\"", 23));
	time = text + 23;
	CHECK(strlen(time) > 27 && time[4] == '-' && time[7] == '-' && time[10] == 'T' && time[13] == ':' && time[16] == ':' &&
	      time[19] == '.' && time[26] == 'Z' && time[27] == '"');
	free(text);
}

static void put_times(struct out *out, uint64_t first_ns, const int *days, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		out__row(out, first_ns + (uint64_t)days[i] * 86400 * 1000000000);
		out__int(out, days[i]);
		out__end(out);
	}
}

/* A later day is told by a line with its date, an earlier one (rows of another CPU) is not. */
static void test_midnight(void)
{
	static const struct out_column columns[] = { { "DAY", 0, NULL, NULL }, { NULL, 0, NULL, NULL } };
	static const int days[] = { 1, 1, 2, 1, 2, 4 };
	char *text, date[2][32], *line;
	struct timespec now;
	struct out out;
	time_t later;

	setenv("TZ", "UTC", 1);
	tzset();
	for (int json = 0; json < 2; json++) {
		out = make_out(columns, json);
		out.time = true;
		clock_gettime(CLOCK_MONOTONIC, &now);
		put_times(&out, (uint64_t)now.tv_sec * 1000000000, days, 6);
		text = finish(&out);
		line = text;
		for (int i = 0; i < 2 && !json; i++) {
			later = time(NULL) + days[i ? 5 : 2] * 86400;
			strftime(date[i], sizeof(date[i]), "\n-- %Y-%m-%d --\n", gmtime(&later));
			line = strstr(line, date[i]);
			/* at midnight itself the two clocks may disagree */
			if (!line)
				break;
			line++;
		}
		if (json)
			CHECK(!strstr(text, "\n-- "));
		else
			CHECK(line && !strstr(line, "\n-- "));
		free(text);
	}
}

static void put_strings(struct out *out, const char *strings, size_t size, unsigned int more)
{
	out__row(out, 0);
	out__strings(out, strings, size, more);
	out__end(out);
}

static void test_lists(void)
{
	struct out out = make_out(one_column, false);
	char *text;

	put_strings(&out, "ls\0-l\0", 6, 0);
	put_strings(&out, "ls\0\0a b\n\0", 9, 2);
	put_strings(&out, "not ended", 9, 0);
	put_strings(&out, "", 0, 3);
	put_strings(&out, "", 0, 0);
	CHECK_WRITTEN(&out, "ls -l\n"
			    "ls '' a b\\n [+2 more]\n"
			    "not ended\n"
			    "[+3 more]\n"
			    "\n");

	out = make_out(one_column, true);
	put_strings(&out, "ls\0\0a\"\0", 7, 2);
	text = finish(&out);
	CHECK(strstr(text, ",\"path\":[\"ls\",\"\",\"a\\\"\"],\"path_more\":2}\n"));
	free(text);

	out = make_out(one_column, true);
	put_strings(&out, "a\0\xff\0", 4, 0);
	text = finish(&out);
	CHECK(strstr(text, ",\"path\":[\"a\",\"\xef\xbf\xbd\"],\"path_hex\":\"6100ff00\",\"path_more\":0}\n"));
	free(text);
}

/* The day of CLOCK_REALTIME in days from now. */
static const char *date_in(int days)
{
	static char date[2][32];
	static int turn;
	time_t then = time(NULL) + days * 86400;

	turn = !turn;
	strftime(date[turn], sizeof(date[turn]), "%Y-%m-%d", gmtime(&then));
	return date[turn];
}

/* A saved text says which day its times are of: in the header, or in a line before the first of them. */
static void test_date(void)
{
	static const struct out_column columns[] = { { "DAY", -5, NULL, NULL }, { "X", 3, NULL, NULL }, { NULL, 0, NULL, NULL } };
	static const int tomorrow[] = { 1 };
	struct out out = make_out(columns, false);
	char *text, expected[64];
	struct timespec now;

	setenv("TZ", "UTC", 1);
	tzset();
	out.time = true;
	CHECK_INT(out__width_before(&out), 16);
	out__header(&out);
	text = finish(&out);
	snprintf(expected, sizeof(expected), "TIME %s DAY     X\n", date_in(0));
	CHECK_STR(text, expected);
	free(text);

	/* the header is of today, so a row of tomorrow has a line before it */
	out = make_out(columns, false);
	out.time = true;
	out__header(&out);
	clock_gettime(CLOCK_MONOTONIC, &now);
	out__row(&out, (uint64_t)(now.tv_sec + 86400) * 1000000000);
	out__int(&out, 1);
	out__int(&out, 2);
	out__end(&out);
	text = finish(&out);
	snprintf(expected, sizeof(expected), "\n-- %s --\n", date_in(1));
	CHECK(strstr(text, expected));
	free(text);

	out = make_out(columns + 1, false);
	out.time = true;
	put_times(&out, (uint64_t)now.tv_sec * 1000000000, tomorrow, 1);
	text = finish(&out);
	CHECK(!strncmp(text, expected + 1, strlen(expected + 1)));
	free(text);
}

static struct out make_out_of_host(const char *host, bool json, bool time)
{
	struct out out = { .sink.fd = memfd_create("out", MFD_CLOEXEC), .json = json, .columns = one_column, .host = host,
			   .time = time, .record = "event", .tool = "testsnoop" };

	if (out.sink.fd < 0 || out__open(&out))
		exit(1);
	out__header(&out);
	out__row(&out, 12345);
	out__path(&out, "/", 2, 0);
	out__end(&out);
	out__line(&out, json ? "{\"type\":\"start\",\"start\":{\"schema\":1}}" : "text", json ? 37 : 4);
	return out;
}

static void test_host(void)
{
	static const char row[] = "{\"type\":\"event\",\"tool\":\"testsnoop\",\"host\":\"a\\\"b\",\"ts_ns\":12345,";
	struct out out = make_out_of_host("web1", false, false);
	char *text, *at;

	CHECK_INT(out__width_before(&out), 5);
	text = finish(&out);
	CHECK_STR(text, "HOST PATH\nweb1 /\ntext\n");
	free(text);
	out = make_out_of_host("a", false, false);
	text = finish(&out);
	CHECK_STR(text, "HOST PATH\na    /\ntext\n");
	free(text);
	/* before the time; a terminal must not act on what the name is made of */
	out = make_out_of_host("web\33longer", false, true);
	text = finish(&out);
	CHECK(!strncmp(text, "HOST          TIME 20", 21));
	at = strchr(text, '\n');
	at = at && at[1] == '-' ? strchr(at + 1, '\n') : at;
	CHECK(at && !strncmp(at + 1, "web\\x1blonger ", 14) && at[1 + 14 + 2] == ':');
	free(text);
	/* in each record */
	out = make_out_of_host("a\"b", true, false);
	text = finish(&out);
	CHECK(!strncmp(text, row, sizeof(row) - 1));
	CHECK(strstr(text, "}\n{\"type\":\"start\",\"start\":{\"schema\":1},\"host\":\"a\\\"b\"}\n"));
	free(text);
}

static void put_one_path(struct out *out, const char *path, size_t size, uint64_t more)
{
	out__row(out, 0);
	out__path(out, path, size, more);
	out__int(out, 1);
	out__end(out);
}

static void check_paths(bool json, const char *expected)
{
	static const struct out_column columns[] = {
		{ "PATH", -8, NULL, NULL }, { "N", 2, NULL, NULL }, { NULL, 0, NULL, NULL },
	};
	struct out out = make_out(columns, json);
	char *text, *at;

	put_one_path(&out, "/a", 3, 0);
	put_one_path(&out, "", 1, 0);
	put_one_path(&out, "/long/path", 10, 1);
	put_one_path(&out, "b\n", 2, 7);
	put_one_path(&out, NULL, 0, 0);
	put_one_path(&out, NULL, 4096, 4096);
	put_one_path(&out, "\xff", 2, 1);
	text = finish(&out);
	/* without the time stamps, which are not of one day */
	for (char *line = text; json && (line = strstr(line, "{\"ts_ns\"")); line++) {
		at = strstr(line, "Z\",");
		memmove(line + 1, at + 3, strlen(at + 3) + 1);
	}
	CHECK_STR(text, expected);
	free(text);
}

static void test_paths(void)
{
	check_paths(false, "/a        1\n"
			   "''        1\n"
			   "/long/path [+more]  1\n"
			   "b\\n [+more]  1\n"
			   "<fault>   1\n"
			   "<too long>  1\n"
			   "\\xff [+more]  1\n");
	check_paths(true, "{\"path\":\"/a\",\"path_more\":0,\"n\":1}\n"
			  "{\"path\":\"\",\"path_more\":0,\"n\":1}\n"
			  "{\"path\":\"/long/path\",\"path_more\":1,\"n\":1}\n"
			  "{\"path\":\"b\\n\",\"path_more\":7,\"n\":1}\n"
			  "{\"path\":null,\"path_more\":0,\"n\":1}\n"
			  "{\"path\":null,\"path_more\":4096,\"n\":1}\n"
			  "{\"path\":\"\xef\xbf\xbd\",\"path_hex\":\"ff\",\"path_more\":1,\"n\":1}\n");
}

/* ---- any bytes: a strict reader of what was written gives them back */

/* The UTF-8 sequence at s, by the table of RFC 3629 written out; 0: none. */
static size_t utf8_sequence(const unsigned char *s, size_t size, unsigned int *code)
{
	size_t length = s[0] < 0x80 ? 1 : (s[0] & 0xe0) == 0xc0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : (s[0] & 0xf8) == 0xf0 ? 4 : 0;
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	if (!length || length > size)
		return 0;
	*code = length == 1 ? s[0] : s[0] & (0xff >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	return *code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : length;
}

static bool is_utf8(const unsigned char *s, size_t size)
{
	unsigned int code;

	for (size_t i = 0; i < size;) {
		size_t length = utf8_sequence(s + i, size - i, &code);

		if (!length)
			return false;
		i += length;
	}
	return true;
}

/* Whether a character acts on a terminal, reorders a line or hides: not the code's table, but what must be in it at least. */
static bool is_harmful(unsigned int code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x2064) || (code >= 0x2066 && code <= 0x2069) ||
	       (code >= 0xfe00 && code <= 0xfe0f) || code == 0xfeff || (code >= 0xe0000 && code <= 0xe01ef);
}

/* Whether no byte or character of text could act on a terminal, and all of it is UTF-8. */
static bool is_harmless(const char *text, size_t size)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned int code;

	for (size_t i = 0; i < size;) {
		size_t length = utf8_sequence(s + i, size - i, &code);

		if (!length || is_harmful(code))
			return false;
		i += length;
	}
	return true;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undoes the escapes of text output; the size, or -1 where it is none. */
static long unescape(const char *text, size_t size, unsigned char *to)
{
	long used = 0;

	for (size_t i = 0; i < size; i++) {
		if (text[i] != '\\') {
			to[used++] = (unsigned char)text[i];
		} else if (i + 1 < size && (text[i + 1] == '\\' || text[i + 1] == 'n')) {
			to[used++] = text[++i] == 'n' ? '\n' : '\\';
		} else if (i + 3 < size && text[i + 1] == 'x' && hex_digit(text[i + 2]) >= 0 && hex_digit(text[i + 3]) >= 0) {
			to[used++] = (unsigned char)(hex_digit(text[i + 2]) << 4 | hex_digit(text[i + 3]));
			i += 3;
		} else {
			return -1;
		}
	}
	return used;
}

static int read_unit(const char *digits)
{
	int unit = 0;

	for (int i = 0; i < 4; i++) {
		if (hex_digit(digits[i]) < 0)
			return -1;
		unit = unit << 4 | hex_digit(digits[i]);
	}
	return unit;
}

static long put_utf8(unsigned char *to, unsigned int code)
{
	if (code < 0x80) {
		to[0] = (unsigned char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (unsigned char)(0xc0 | code >> 6);
		to[1] = (unsigned char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (unsigned char)(0xe0 | code >> 12);
		to[1] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (unsigned char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (unsigned char)(0xf0 | code >> 18);
	to[1] = (unsigned char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (unsigned char)(0x80 | (code & 0x3f));
	return 4;
}

/* Reads the JSON string at text strictly (RFC 8259); the size of its value, or -1; *end is behind it. */
static long read_json_string(const char *text, unsigned char *to, const char **end)
{
	long used = 0;

	if (*text++ != '"')
		return -1;
	for (; *text != '"'; text++) {
		if ((unsigned char)*text < 0x20)
			return -1;
		if (*text != '\\') {
			to[used++] = (unsigned char)*text;
			continue;
		}
		switch (*++text) {
		case '"': case '\\': case '/':
			to[used++] = (unsigned char)*text;
			break;
		case 'n':
			to[used++] = '\n';
			break;
		case 'u': {
			int code = read_unit(text + 1);

			text += 4;
			if (code >= 0xd800 && code < 0xdc00) {
				int low = text[1] == '\\' && text[2] == 'u' ? read_unit(text + 3) : -1;

				if (low < 0xdc00 || low > 0xdfff)
					return -1;
				code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
				text += 6;
			}
			if (code < 0 || (code >= 0xdc00 && code < 0xe000))
				return -1;
			used += put_utf8(to + used, (unsigned int)code);
			break;
		}
		default:
			return -1;
		}
	}
	*end = text + 1;
	return used;
}

static void check_any_bytes(const unsigned char *bytes, size_t size)
{
	static unsigned char back[1 << 16], hex[1 << 16];
	struct out out = make_out(one_column, false);
	const char *at, *end;
	char *text;
	long got;

	out__row(&out, 0);
	out__string(&out, (const char *)bytes, size);
	out__end(&out);
	text = finish(&out);
	CHECK(strchr(text, '\n') == text + strlen(text) - 1);
	CHECK(is_harmless(text, strlen(text) - 1));
	got = unescape(text, strlen(text) - 1, back);
	CHECK(got == (long)size && !memcmp(back, bytes, size));
	free(text);

	out = make_out(one_column, true);
	out__row(&out, 0);
	out__string(&out, (const char *)bytes, size);
	out__end(&out);
	text = finish(&out);
	CHECK(is_harmless(text, strlen(text) - 1));
	at = strstr(text, ",\"path\":");
	if (!CHECK(at)) {
		free(text);
		return;
	}
	got = read_json_string(at + 8, back, &end);
	CHECK(got >= 0 && is_utf8(back, (size_t)got));
	if (is_utf8(bytes, size)) {
		CHECK(got == (long)size && !memcmp(back, bytes, size));
		CHECK_STR(end, "}\n");
	} else {
		CHECK(!strncmp(end, ",\"path_hex\":", 12));
		got = read_json_string(end + 12, hex, &end);
		CHECK(got == 2 * (long)size);
		for (size_t i = 0; i < size && got == 2 * (long)size; i++)
			if (!CHECK(hex_digit((char)hex[2 * i]) << 4 == (bytes[i] & 0xf0) &&
				   hex_digit((char)hex[2 * i + 1]) == (bytes[i] & 15)))
				break;
		CHECK_STR(end, "}\n");
	}
	free(text);
}

static void test_any_bytes(void)
{
	/* what UTF-8 decoders go wrong at, and the borders of what is escaped */
	static const unsigned char edges[] = { 1, '\n', 0x1b, 0x1f, 0x20, '"', '\\', 'x', 'n', 0x7e, 0x7f, 0x80, 0x8f, 0x90, 0x9f,
					       0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1,
					       0xf3, 0xf4, 0xf5, 0xf8, 0xff };
	unsigned char bytes[2000];

	for (size_t a = 0; a < sizeof(edges); a++)
		for (size_t b = 0; b < sizeof(edges); b++)
			for (size_t c = 0; c < sizeof(edges); c += 3) {
				const unsigned char four[] = { edges[a], edges[b], edges[c], edges[(a + b + c) % sizeof(edges)] };

				check_any_bytes(four, sizeof(four));
			}
	srandom(1);
	for (int i = 0; i < 2000; i++) {
		size_t size = (size_t)random() % (i % 100 ? 40 : sizeof(bytes));

		for (size_t j = 0; j < size; j++)
			bytes[j] = i % 2 ? (unsigned char)(random() % 255 + 1) : edges[(size_t)random() % sizeof(edges)];
		check_any_bytes(bytes, size);
	}
}

/* ---- what becomes of rows */

/* Rows that are larger than the buffer, and many of them: none is lost, none is torn. */
static void test_large_rows(void)
{
	static char path[40000];
	struct out out = make_out(one_column, false);
	size_t total = 0;
	char *text;

	memset(path, '\033', sizeof(path));
	for (int i = 0; i < 100; i++) {
		size_t size = (size_t)i * 400;

		out__row(&out, 0);
		out__string(&out, path, size);
		out__end(&out);
		total += 4 * size + 1;
	}
	text = finish(&out);
	CHECK_INT(strlen(text), total);
	CHECK_INT(out.rows_written, 100);
	free(text);
}

static void put_path(struct out *out, const char *path)
{
	out__row(out, 0);
	out__string(out, path, strlen(path));
	out__end(out);
}

static void test_output_errors(void)
{
	struct out out = { .sink.fd = open("/dev/full", O_WRONLY), .columns = one_column };
	int fds[2];

	CHECK_INT(out__open(&out), 0);
	put_path(&out, "x");
	CHECK_INT(out__flush(&out), -ENOSPC);
	put_path(&out, "y");
	CHECK_INT(out__flush(&out), -ENOSPC);
	CHECK_INT(out.rows_written, 0);
	out__free(&out);
	close(out.sink.fd);

	signal(SIGPIPE, SIG_IGN);
	CHECK_INT(pipe(fds), 0);
	close(fds[0]);
	out = (struct out){ .sink.fd = fds[1], .columns = one_column };
	CHECK_INT(out__open(&out), 0);
	put_path(&out, "x");
	CHECK_INT(out__flush(&out), -EPIPE);
	out__free(&out);
	close(fds[1]);
}

static bool should_stop(void)
{
	return true;
}

/* A pipe that nobody reads, and somebody who wants to end: the rows that fit go, the others are not said to be written. */
static void test_nobody_reads(void)
{
	struct out out = { .columns = one_column, .sink.should_stop = should_stop };
	char path[1000];
	int fds[2];

	CHECK_INT(pipe(fds), 0);
	out.sink.fd = fds[1];
	CHECK_INT(out__open(&out), 0);
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	for (int i = 0; i < 200; i++)
		put_path(&out, path);
	CHECK_INT(out__flush(&out), -EAGAIN);
	CHECK(out.rows_written <= 65);
	out__free(&out);
	close(fds[0]);
	close(fds[1]);
}

/* Plain strings are copied in pieces: every length around those, with an odd byte at every place. */
static void test_odd_bytes(void)
{
	static const unsigned char odd[] = { 0x01, 0x1f, '\n', '"', '\\', 0x7e, 0x7f, 0x80, 0xc3, 0xff };
	unsigned char bytes[40];

	for (size_t size = 0; size <= 26; size++) {
		memset(bytes, 'a', sizeof(bytes));
		check_any_bytes(bytes, size);
		for (size_t at = 0; at < size; at++) {
			for (size_t i = 0; i < sizeof(odd); i++) {
				bytes[at] = odd[i];
				check_any_bytes(bytes, size);
			}
			bytes[at] = ' ';
		}
	}
}

/* ---- rows and their columns */

static const struct out_column three_columns[] = {
	{ "A", 3, NULL, NULL },
	{ "B", -3, &hidden, NULL },
	{ "C", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* So many values of each kind, one kind after the other. */
static void put_values(struct out *out, unsigned int count, unsigned int kind)
{
	for (; count; count--, kind++) {
		switch (kind % 12) {
		case 0: out__int(out, 7); break;
		case 1: out__string(out, "seven", 5); break;
		case 2: out__octal(out, 0644); break;
		case 3: out__hex(out, 255); break;
		case 4: out__milliseconds(out, 1250); break;
		case 5: out__bool(out, true); break;
		case 6: out__none(out); break;
		case 7: out__zero(out); break;
		case 8: out__path(out, "/a", 2, 0); break;
		case 9: out__no_path(out); break;
		case 10: out__strings(out, "a\0b", 4, 0); break;
		default: out__made(out, "8", 1); break;
		}
	}
}

/* A row of so many values between a good row and another good one; whether it was taken for good. */
static void check_count(bool json, unsigned int values, unsigned int kind, const char *error)
{
	struct out out = make_out(three_columns, json);
	char text[256] = "";
	int rows = error ? 1 : 3;

	out__row(&out, 1);
	put_values(&out, 3, 0);
	out__end(&out);
	out__row(&out, 2);
	put_values(&out, values, kind);
	out__end(&out);
	out__row(&out, 3);
	put_values(&out, 3, 0);
	out__end(&out);
	CHECK_INT(out__flush(&out), error ? -EPROTO : 0);
	CHECK_STR(out__error(&out), error);
	CHECK_INT(out.rows_written, rows);
	if (error) {
		/* the good row before it and nothing else */
		CHECK(pread(out.sink.fd, text, sizeof(text) - 1, 0) > 0);
		CHECK_INT(strchr(text, '\n') - text, (int)strlen(text) - 1);
	}
	close(out.sink.fd);
	out__free(&out);
}

static void test_rows_fit_their_columns(void)
{
	static const char *const too_few[] = {
		"a row has 0 values for 3 columns, none for A (a bug in this tool: please report it)",
		"a row has 1 values for 3 columns, none for B (a bug in this tool: please report it)",
		"a row has 2 values for 3 columns, none for C (a bug in this tool: please report it)",
	};
	static const char too_many[] = "a row has more values than its 3 columns (a bug in this tool: please report it)";

	for (int json = 0; json < 2; json++) {
		for (unsigned int kind = 0; kind < 12; kind++) {
			for (unsigned int values = 0; values < 3; values++)
				check_count(json, values, kind, too_few[values]);
			check_count(json, 3, kind, NULL);
			/* many: slots end after five, and the sanitizer sees who goes on */
			for (unsigned int values = 4; values < 200; values += values < 8 ? 1 : 50)
				check_count(json, values, kind, too_many);
		}
	}
}

/* A row that is kept as a piece has the columns that the piece was made of. */
static void test_pieces_fit_their_columns(void)
{
	struct out out = make_out(three_columns, false);
	struct piece piece = {};

	for (int row = 0; row < 3; row++) {
		out__row(&out, 1);
		if (!piece__again(&out, &piece)) {
			piece__begin(&out, &piece);
			put_values(&out, 2, 0);
			piece__end(&out, &piece);
		}
		put_values(&out, row < 2, 1);
		out__end(&out);
	}
	CHECK_STR(out__error(&out), "a row has 2 values for 3 columns, none for C (a bug in this tool: please report it)");
	CHECK_INT(out.rows_written, 2);
	close(out.sink.fd);
	out__free(&out);
}

/* A first error is not covered by a row that does not fit after it. */
static void test_first_error_stays(void)
{
	struct out out = { .sink.fd = open("/dev/full", O_WRONLY), .columns = three_columns };

	CHECK_INT(out__open(&out), 0);
	CHECK_STR(out__error(&out), NULL);
	out__row(&out, 1);
	put_values(&out, 3, 0);
	out__end(&out);
	out__row(&out, 2);
	put_values(&out, 5, 0);
	out__end(&out);
	CHECK_INT(out.error, -ENOSPC);
	CHECK_STR(out__error(&out), "stdout cannot be written: No space left on device");
	out.error = -EPIPE;
	CHECK_STR(out__error(&out), NULL);
	out.error = -EAGAIN;
	CHECK_STR(out__error(&out), "the reader of stdout does not read: rows were given up");
	close(out.sink.fd);
	out__free(&out);
}

int main(void)
{
	test_alignment();
	test_long_names();
	test_columns_are_asked_when_printed();
	test_rows_fit_their_columns();
	test_pieces_fit_their_columns();
	test_first_error_stays();
	test_numbers();
	test_aligned_numbers();
	test_aligned_milliseconds();
	test_escaping();
	test_json_strings();
	test_json_rows();
	test_midnight();
	test_date();
	test_host();
	test_lists();
	test_paths();
	test_any_bytes();
	test_odd_bytes();
	test_large_rows();
	test_output_errors();
	test_nobody_reads();
	return check_done();
}
