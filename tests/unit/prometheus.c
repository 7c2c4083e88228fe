/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/print/prometheus: labels of untrusted bytes, bounds of histograms, numbers. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lib/print/prometheus.h"

#define TEXT_MAX 100000

/* Whether the label's text is that, of bytes, or of JSON. */
static void check_label(const char *value, size_t size, bool is_json, const char *wanted)
{
	struct text_buffer labels = text_buffer__growing(TEXT_MAX);
	char *text;

	if (is_json)
		prometheus__add_json_label(&labels, "l", value, size);
	else
		prometheus__add_label(&labels, "l", value, size);
	text = text_buffer__take(&labels);
	CHECK_STR(text, wanted);
	free(text);
}
#define CHECK_BYTES(value, wanted) check_label(value, sizeof(value) - 1, false, wanted)
#define CHECK_JSON(value, wanted) check_label(value, sizeof(value) - 1, true, wanted)

#define BAD "\xef\xbf\xbd"

static void test_labels(void)
{
	CHECK_BYTES("cat", "l=\"cat\"");
	CHECK_BYTES("", "l=\"\"");
	/* the format has three escapes */
	CHECK_BYTES("a\"b\\c\nd", "l=\"a\\\"b\\\\c\\nd\"");
	/* a label cannot end its line, nor be half a character */
	CHECK_BYTES("a\rb\tc\x1b[31m\x7f", "l=\"a" BAD "b" BAD "c" BAD "[31m" BAD "\"");
	CHECK_BYTES("\xff\xc3\xa9\xc3", "l=\"" BAD "\xc3\xa9" BAD "\"");
	CHECK_BYTES("a\0b", "l=\"a" BAD "b\"");

	CHECK_JSON("12", "l=\"12\"");
	CHECK_JSON("true", "l=\"true\"");
	CHECK_JSON("\"cat\"", "l=\"cat\"");
	CHECK_JSON("\"\"", "l=\"\"");
	CHECK_JSON("\"a\\\"b\\\\c\\nd\\/\"", "l=\"a\\\"b\\\\c\\nd/\"");
	CHECK_JSON("\"\\u001b[0m\\u0022\\u005c\\u000a\"", "l=\"" BAD "[0m\\\"\\\\\\n\"");
	CHECK_JSON("\"\\u00e9\\u202e\\ud83d\\ude00\"", "l=\"\xc3\xa9\xe2\x80\xae\xf0\x9f\x98\x80\"");
	/* halves of pairs, and what ends too early */
	CHECK_JSON("\"\\ud83d\"", "l=\"" BAD "\"");
	CHECK_JSON("\"\\ude00x\"", "l=\"" BAD "x\"");
	CHECK_JSON("\"\\ud83d\\u0041\"", "l=\"" BAD "A\"");
}

static void test_several(void)
{
	struct text_buffer labels = text_buffer__growing(TEXT_MAX);
	char *text;

	prometheus__add_label(&labels, "a", "1", 1);
	prometheus__add_json_label(&labels, "b", "\"2\"", 3);
	text = text_buffer__take(&labels);
	CHECK_STR(text, "a=\"1\",b=\"2\"");
	free(text);
}

static void test_numbers(void)
{
	struct text_buffer text = text_buffer__growing(TEXT_MAX);
	char *all;

	prometheus__head(&text, "x_total", "counter", "What x is.");
	prometheus__count(&text, "x_total", "", UINT64_MAX);
	prometheus__count(&text, "x_total", "a=\"1\"", 0);
	prometheus__seconds(&text, "y_seconds_total", "", 1);
	prometheus__seconds(&text, "y_seconds_total", "", 12000000034);
	all = text_buffer__take(&text);
	CHECK_STR(all, "# HELP probelight_x_total What x is.\n# TYPE probelight_x_total counter\n"
		       "probelight_x_total 18446744073709551615\n"
		       "probelight_x_total{a=\"1\"} 0\n"
		       "probelight_y_seconds_total 0.000000001\n"
		       "probelight_y_seconds_total 12.000000034\n");
	free(all);
}

/* The line of a bound in the text of a histogram. */
static bool has_bound(const struct prometheus_hist *hist, const char *line)
{
	struct text_buffer text = text_buffer__growing(TEXT_MAX);
	bool found;

	prometheus__hist(&text, "h", "a=\"1\"", hist);
	found = strstr(text.text, line);
	text_buffer__free(&text);
	return found;
}

/* A value that is a bound counts below it where values are whole numbers, and above where they are times that were cut off. */
static void test_bounds(void)
{
	struct prometheus_hist times = { .scale_ns = 1000 }, sizes = { .scale_ns = 0 };

	prometheus_hist__add(&times, 127999, 1);
	prometheus_hist__add(&times, 128000, 2);
	prometheus_hist__add(&times, UINT64_MAX, 4);
	times.sum = 5;
	CHECK(has_bound(&times, "probelight_h_bucket{a=\"1\",le=\"0.000064\"} 0\n"));
	CHECK(has_bound(&times, "probelight_h_bucket{a=\"1\",le=\"0.000128\"} 1\n"));
	CHECK(has_bound(&times, "probelight_h_bucket{a=\"1\",le=\"0.000256\"} 3\n"));
	CHECK(has_bound(&times, "probelight_h_bucket{a=\"1\",le=\"134.217728\"} 3\n"));
	CHECK(has_bound(&times, "probelight_h_bucket{a=\"1\",le=\"+Inf\"} 7\n"));
	CHECK(has_bound(&times, "probelight_h_sum{a=\"1\"} 0.000000005\nprobelight_h_count{a=\"1\"} 7\n"));

	prometheus_hist__add(&sizes, 0, 1);
	prometheus_hist__add(&sizes, 4095, 2);
	prometheus_hist__add(&sizes, 4096, 4);
	sizes.sum = 4096;
	CHECK(has_bound(&sizes, "probelight_h_bucket{a=\"1\",le=\"0\"} 1\n"));
	CHECK(has_bound(&sizes, "probelight_h_bucket{a=\"1\",le=\"4095\"} 3\n"));
	CHECK(has_bound(&sizes, "probelight_h_bucket{a=\"1\",le=\"8191\"} 7\n"));
	CHECK(has_bound(&sizes, "probelight_h_sum{a=\"1\"} 4096\n"));
	/* the bounds of times again, after those of sizes */
	CHECK(has_bound(&times, "probelight_h_bucket{a=\"1\",le=\"0.000128\"} 1\n"));
}

/* Seconds have no zeros at their end: a bound is the same text in all versions. */
static void test_scales(void)
{
	struct prometheus_hist milliseconds = { .scale_ns = 1000000 };

	CHECK(has_bound(&milliseconds, "le=\"0.001\"}"));
	CHECK(has_bound(&milliseconds, "le=\"1.024\"}"));
	CHECK(has_bound(&milliseconds, "le=\"134217.728\"}"));
}

int main(void)
{
	test_labels();
	test_several();
	test_numbers();
	test_bounds();
	test_scales();
	return check_done();
}
