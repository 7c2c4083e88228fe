/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heat maps: every event is in a cell, also where intervals share a column and keys a map.  With a file as argument a picture of all
 * sorts is written there, for tests/host/heat, which reads it as XML.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "lib/print/heat.h"

#define SECOND 1000000000ull

/* Values in nanoseconds, count of each, as microseconds. */
static void fill(struct hist *hist, uint64_t ns, uint64_t count)
{
	uint64_t scaled = (ns << 7) / 125, slot = scaled;

	if (scaled >= 1 << HIST_BITS) {
		uint64_t highest = 63 - (uint64_t)__builtin_clzll(scaled);

		slot = ((highest - HIST_BITS + 1) << HIST_BITS) + (scaled >> (highest - HIST_BITS)) - (1 << HIST_BITS);
	}
	hist->slots[slot] += count;
	hist->sum += ns * count;
}

static char *written(const struct heat *heat)
{
	int fd = memfd_create("heat", MFD_CLOEXEC);
	off_t size;
	char *text;

	CHECK_INT(heat__write(heat, fd, "test"), 0);
	size = lseek(fd, 0, SEEK_END);
	text = calloc(1, (size_t)size + 1);
	CHECK(pread(fd, text, (size_t)size, 0) == size);
	close(fd);
	return text;
}

/* Of all data-n of elements of that class. */
static uint64_t sum_of(const char *text, const char *class)
{
	char wanted[64];
	uint64_t sum = 0;

	snprintf(wanted, sizeof(wanted), " class=\"%s\" data-n=\"", class);
	for (const char *at = strstr(text, wanted); at; at = strstr(at + 1, wanted))
		sum += strtoull(at + strlen(wanted), NULL, 10);
	return sum;
}

static struct heat *make(const struct hist_shape *shape, uint64_t intervals, uint64_t *sum)
{
	struct heat *heat = heat__new();

	*sum = 0;
	for (uint64_t i = 0; i < intervals; i++) {
		struct hist hist = { 0 };
		struct hist_view view = hist_view__of(shape, &hist);

		/* one that was left out makes a gap */
		heat__column(heat, 7 * SECOND + (i + (i >= 5)) * SECOND, 7 * SECOND + (i + (i >= 5) + 1) * SECOND);
		if (i == 3)
			continue;
		fill(&hist, 4000, 1 + i);
		fill(&hist, 900000, 1000);
		fill(&hist, 0, 2);
		CHECK_INT(heat__add(heat, NULL, NULL, &view), 0);
		CHECK_INT(heat__add(heat, "</title><script>", "</title><script>alert(1)</script>\x1b\xff", &view), 0);
		*sum += 2 * hist_view__count(&view);
	}
	return heat;
}

static void check_sums(void)
{
	const struct hist_shape shape = hist_shape__of(HIST_USECS);

	for (uint64_t intervals = 1; intervals < 4000; intervals = intervals * 5 + 1) {
		uint64_t sum;
		struct heat *heat = make(&shape, intervals, &sum);
		char *text = written(heat);

		CHECK_INT(sum_of(text, "c"), sum);
		CHECK_INT(sum_of(text, "m"), sum);
		free(text);
		heat__free(heat);
	}
}

static void check_cells(void)
{
	const struct hist_shape shape = hist_shape__of(HIST_USECS);
	uint64_t sum;
	struct heat *heat = make(&shape, 10, &sum);
	char *text = written(heat);

	/* 11 seconds are 1000 pixels; 4 to 7 us are row 2 of 0 to 9 */
	CHECK(strstr(text, "<rect class=\"c\" data-n=\"2\" x=\"290.909\" y=\"178\" width=\"90.909\" height=\"15\" fill=\"rgb(242,213,138)\">"
			   "<title>4 -&gt; 7 usecs: 2, 1.000 s - 2.000 s</title></rect>") ||
	      strstr(text, "<title>4 -> 7 usecs: 2, 1.000 s - 2.000 s</title>"));
	CHECK(strstr(text, "<title>512 -> 1023 usecs: 1000, 10.000 s - 11.000 s</title>"));
	CHECK(strstr(text, "<title>0 -> 1 usecs: 2, 0.000 s - 1.000 s</title>"));
	CHECK(!strstr(text, "3.000 s - 4.000 s"));
	CHECK(strstr(text, "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\x1b\\xff: "));
	CHECK(!strstr(text, "<script"));
	CHECK(strstr(text, "test: 10 intervals, usecs, at most 1000 events in a cell"));
	free(text);
	heat__free(heat);
}

static void check_linear(void)
{
	struct hist_shape shape = hist_shape__of(HIST_MSECS);
	struct heat *heat = heat__new();
	struct hist hist = { .slots = { 1, 2, 3, 4 } };
	struct hist_view view;
	char *text;

	CHECK_INT(hist_shape__parse_linear(&shape, "10,30,10"), 0);
	view = hist_view__of(&shape, &hist);
	heat__column(heat, 0, 1);
	CHECK_INT(heat__add(heat, "k", "k", &view), 0);
	text = written(heat);
	CHECK(strstr(text, "<title>below 10 msecs: 1, ") && strstr(text, "<title>10 -> 19 msecs: 2, ") &&
	      strstr(text, "<title>20 -> 29 msecs: 3, ") && strstr(text, "<title>30 and above msecs: 4, "));
	CHECK_INT(sum_of(text, "c"), 10);
	free(text);
	heat__free(heat);
}

/* More keys than maps. */
static void check_keys(void)
{
	const struct hist_shape shape = hist_shape__of(HIST_NSECS);
	struct heat *heat = heat__new();
	struct hist_rough hist = { .slots = { 0, 0, 5 } };
	struct hist_view view = hist_view__of_rough(&shape, &hist);
	char *text;

	heat__column(heat, 5, 5);
	for (int i = 0; i < 100; i++) {
		char key[16];

		snprintf(key, sizeof(key), "key %d", i);
		CHECK_INT(heat__add(heat, key, key, &view), 0);
	}
	text = written(heat);
	CHECK_INT(sum_of(text, "c"), 500);
	CHECK(strstr(text, ">key 22: 5 events<") && !strstr(text, ">key 23: ") && strstr(text, ">others: 385 events<"));
	free(text);
	heat__free(heat);
}

static void check_empty(void)
{
	struct heat *heat = heat__new();
	char *text = written(heat);

	CHECK(strstr(text, "test: 0 intervals, at most") && strstr(text, "</svg>"));
	free(text);
	heat__free(heat);
	heat__free(NULL);
}

int main(int argc, char **argv)
{
	check_sums();
	check_cells();
	check_linear();
	check_keys();
	check_empty();
	if (argc > 1) {
		const struct hist_shape shape = hist_shape__of(HIST_USECS);
		int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		uint64_t sum;
		struct heat *heat = make(&shape, 700, &sum);

		CHECK_INT(heat__write(heat, fd, "test"), 0);
		heat__free(heat);
	}
	return check_done();
}
