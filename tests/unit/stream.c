/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/stream: pages in files that stand for trace_pipe_raw of three CPUs. */
#include "lib/ftrace/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "ftrace_pages.h"
#include "lib/kernel/tracefs.h"

static char folder[] = "/tmp/probelight-stream.XXXXXX";

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static void append(const char *name, const void *bytes, size_t size)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	/* the directories above */
	for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && !close(fd));
}

static void append_page(int cpu, struct made_page *made, bool lost_some, uint64_t lost)
{
	char name[64];
	size_t size = made_page__end(made, lost_some, lost);

	snprintf(name, sizeof(name), "instances/x/per_cpu/cpu%d/trace_pipe_raw", cpu);
	append(name, made->bytes, size);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Records of three CPUs, some pages of each, whose times interleave: they come in the order of time, and none is missing. */
static void test_order(void)
{
	uint64_t base = now_ns() - 10000000000ull, last = 0, before, counts[3] = {};
	uint64_t times[3] = { base, base + 1, base + 2 };
	struct stream_record record;
	struct stream stream;

	srandom(2);
	for (int page = 0; page < 12; page++) {
		int cpu = page % 3;
		struct made_page made = made_page__of(times[cpu]);

		for (int i = 0; i < 50; i++) {
			uint32_t delta = (uint32_t)random() % 1000;

			times[cpu] += delta;
			made_page__record(&made, delta, 24, (uint16_t)(cpu + 1));
		}
		append_page(cpu, &made, page == 7, 99);
	}
	CHECK_INT(stream__open(&stream, "instances/x"), 0);
	CHECK_INT(stream.cpus_count, 3);
	before = now_ns();
	while (stream__next(&stream, &record) > 0) {
		CHECK(record.record.time >= last);
		last = record.record.time;
		CHECK_INT(record.cpu, record.record.type - 1);
		counts[record.cpu]++;
		/* the third page of CPU 1 says so */
		CHECK_INT(record.lost, record.cpu == 1 && counts[1] == 101 ? 99 : 0);
		CHECK_INT(record.lost_some, record.cpu == 1 && counts[1] == 101);
	}
	for (int i = 0; i < 3; i++)
		CHECK_INT(counts[i], 200);
	CHECK_INT(stream.records, 600);
	CHECK_INT(stream.broken, 0);
	/* nothing is there now, and until when is known; at the end for ever */
	CHECK(stream__known_until(&stream) >= before - STREAM_LATE_NS - 1 && stream__known_until(&stream) < now_ns() - STREAM_LATE_NS);
	stream__end(&stream);
	CHECK_INT(stream__next(&stream, &record), 0);
	CHECK(stream__known_until(&stream) == UINT64_MAX);
	stream__close(&stream);
}

/* CPU by CPU: all of them, in any order. */
static void test_any(void)
{
	struct stream_record record;
	uint64_t lost = 0, count = 0;
	struct stream stream;

	CHECK_INT(stream__open(&stream, "instances/x"), 0);
	/* none is that old */
	CHECK_INT(stream__next_of_any(&stream, 1000, &record), 0);
	CHECK_INT(stream__next_of_any(&stream, 1000, &record), 0);
	for (; stream__next_of_any(&stream, UINT64_MAX, &record) > 0; count++)
		lost += record.lost;
	CHECK_INT(count, 600);
	CHECK_INT(lost, 99);
	stream__close(&stream);
}

/* A round ends with the first page of a CPU that is not full: it was being written when it was read. */
static void test_rounds(void)
{
	struct stream_record record;
	struct stream stream;

	CHECK_INT(stream__open(&stream, "instances/x"), 0);
	for (int round = 0; round < 5; round++) {
		uint64_t count = 0;

		stream__begin_round(&stream);
		while (stream__next_of_any(&stream, UINT64_MAX, &record) > 0)
			count++;
		stream__end_round(&stream);
		CHECK_INT(count, round < 4 ? 3 * 50 : 0);
	}
	stream__close(&stream);
}

/* What is younger than the limit comes later, in its order. */
static void test_limit(void)
{
	struct stream_record record;
	uint64_t limit, last;
	struct stream stream;
	int count = 1, first;

	CHECK_INT(stream__open(&stream, "instances/x"), 0);
	CHECK_INT(stream__next(&stream, &record), 1);
	last = record.record.time;
	limit = last + 20000;
	stream__set_limit(&stream, limit);
	for (; stream__next(&stream, &record) > 0; count++) {
		CHECK(record.record.time >= last && record.record.time <= limit);
		last = record.record.time;
	}
	CHECK(count > 1 && count < 600);
	first = count;
	/* also one before what was given already */
	stream__set_limit(&stream, 1);
	CHECK_INT(stream__next(&stream, &record), 0);
	stream__set_limit(&stream, UINT64_MAX);
	for (; stream__next(&stream, &record) > 0; count++) {
		CHECK(record.record.time >= last && (count > first || record.record.time > limit));
		last = record.record.time;
	}
	CHECK_INT(count, 600);
	stream__close(&stream);
}

/* A record that is younger than what is known of the other CPUs waits, until nothing is written any more. */
static void test_young(void)
{
	struct made_page made = made_page__of(now_ns() + 3600000000000ull);
	struct stream_record record;
	struct stream stream;

	CHECK_INT(stream__open(&stream, "instances/x"), 0);
	while (stream__next(&stream, &record) > 0)
		;
	made_page__record(&made, 0, 24, 1);
	append_page(0, &made, false, 0);
	CHECK_INT(stream__next(&stream, &record), 0);
	CHECK_INT(stream__next(&stream, &record), 0);
	/* an older one of another CPU comes meanwhile, and goes before it */
	made = made_page__of(now_ns() - 5000000);
	made_page__record(&made, 0, 24, 2);
	append_page(1, &made, false, 0);
	CHECK_INT(stream__next(&stream, &record), 1);
	CHECK_INT(record.cpu, 1);
	CHECK_INT(stream__next(&stream, &record), 0);
	stream__end(&stream);
	CHECK_INT(stream__next(&stream, &record), 1);
	CHECK_INT(record.cpu, 0);
	CHECK_INT(stream__next(&stream, &record), 0);
	CHECK_INT(stream.records, 602);
	stream__close(&stream);
}

/* What is left at the end is kept, and the files are closed: all of it is given, and nothing that comes later. */
static void test_rest(void)
{
	uint64_t base = now_ns() - 10000000000ull, last = 0;
	struct stream_record record;
	struct made_page made;
	struct stream stream;
	char command[96];
	int count;

	snprintf(command, sizeof(command), "rm %s/instances/x/per_cpu/*/trace_pipe_raw", folder);
	CHECK_INT(system(command), 0);
	for (int i = 0; i < 30; i++) {
		made = made_page__of(base + (uint64_t)i * 1000);
		for (int j = 0; j < 5; j++)
			made_page__record(&made, 10, 24, 7);
		append_page(i % 3, &made, i == 8, i == 8 ? 41 : 0);
	}
	CHECK_INT(stream__open(&stream, "instances/x"), 0);
	for (count = 0; count < 12; count++) {
		CHECK_INT(stream__next(&stream, &record), 1);
		last = record.record.time;
	}
	stream__end(&stream);
	CHECK_INT(stream__keep_rest(&stream), 0);
	for (size_t i = 0; i < stream.cpus_count; i++)
		CHECK_INT(stream.cpus[i].fd, -1);
	made = made_page__of(base + 100000);
	made_page__record(&made, 10, 24, 7);
	append_page(0, &made, false, 0);
	for (; stream__next(&stream, &record) > 0; count++) {
		CHECK(record.record.time >= last);
		CHECK_INT(record.lost, record.record.time == base + 8010 ? 41 : 0);
		last = record.record.time;
	}
	CHECK_INT(count, 150);
	CHECK_INT(stream__keep_rest(&stream), 0);
	stream__close(&stream);
}

/* The record behind another one of its CPU, from another page: before an older one of another CPU, which comes next. */
static void test_next_on_cpu(void)
{
	uint64_t base = now_ns() - 10000000000ull;
	struct made_page made = made_page__of(base);
	struct stream_record record;
	struct stream stream;
	char command[96];

	snprintf(command, sizeof(command), "rm %s/instances/x/per_cpu/*/trace_pipe_raw", folder);
	CHECK_INT(system(command), 0);
	made_page__record(&made, 0, 24, 1);
	append_page(0, &made, false, 0);
	made = made_page__of(base + 10);
	made_page__record(&made, 0, 24, 4);
	made_page__record(&made, 10, 24, 1);
	append_page(0, &made, false, 0);
	made = made_page__of(base + 5);
	made_page__record(&made, 0, 24, 1);
	append_page(1, &made, false, 0);
	append_page(2, &made, false, 0);
	CHECK_INT(stream__open(&stream, "instances/x"), 0);
	CHECK_INT(stream__next(&stream, &record), 1);
	CHECK(record.cpu == 0 && record.record.time == base);
	CHECK_INT(stream__next_on_cpu(&stream, 4, &record), 1);
	CHECK(record.cpu == 0 && record.record.time == base + 10 && record.record.type == 4);
	CHECK_INT(stream__next(&stream, &record), 1);
	CHECK(record.cpu == 1 && record.record.time == base + 5);
	/* that CPU has no more */
	CHECK_INT(stream__next_on_cpu(&stream, 4, &record), -EAGAIN);
	CHECK_INT(stream__next(&stream, &record), 1);
	CHECK(record.cpu == 2);
	CHECK_INT(stream__next(&stream, &record), 1);
	CHECK(record.cpu == 0 && record.record.time == base + 20);
	CHECK_INT(stream__next_on_cpu(&stream, 4, &record), -EAGAIN);
	/* one of the type, behind a loss; and one of another type: they stay for the order */
	made = made_page__of(base + 30);
	made_page__record(&made, 0, 24, 4);
	append_page(0, &made, true, 3);
	CHECK_INT(stream__next_on_cpu(&stream, 4, &record), 0);
	CHECK_INT(stream__next(&stream, &record), 1);
	CHECK(record.record.type == 4 && record.lost_some && record.lost == 3);
	made = made_page__of(base + 40);
	made_page__record(&made, 0, 24, 1);
	append_page(0, &made, false, 0);
	CHECK_INT(stream__next_on_cpu(&stream, 4, &record), 0);
	CHECK_INT(stream__next(&stream, &record), 1);
	CHECK(record.record.type == 1 && record.record.time == base + 40);
	CHECK_INT(stream__next(&stream, &record), 0);
	CHECK_INT(stream.records, 7);
	stream__close(&stream);
}

/* A page that is none: what was in it is not given, what comes later is. */
static void test_broken(void)
{
	struct made_page made = made_page__of(now_ns() - 5000000);
	struct stream_record record;
	struct stream stream;
	unsigned int count = 0;

	made_page__record(&made, 0, 24, 3);
	made.used -= 8;
	append_page(2, &made, false, 0);
	made.used += 8;
	append_page(2, &made, false, 0);
	CHECK_INT(stream__open(&stream, "instances/x"), 0);
	while (stream__next_of_any(&stream, UINT64_MAX, &record) > 0)
		count++;
	CHECK_INT(count, 603);
	CHECK_INT(stream.broken, 1);
	stream__close(&stream);
}

static void test_stats(void)
{
	struct stream_stats stats;
	struct stream stream;
	char name[64], text[256];
	uint64_t waiting = 7;

	for (int cpu = 0; cpu < 3; cpu++) {
		snprintf(name, sizeof(name), "instances/x/per_cpu/cpu%d/stats", cpu);
		snprintf(text, sizeof(text), "entries: %d\noverrun: %d\ncommit overrun: 1\nbytes: 400\noldest event ts: 1.0\n"
			 "now ts: 2.0\ndropped events: 2\nread events: %d\n", cpu, 10 * cpu, 100 * cpu);
		append(name, text, strlen(text));
	}
	CHECK_INT(stream__open(&stream, "instances/x"), 0);
	CHECK_INT(stream__stats(&stream, &stats), 0);
	CHECK_INT(stats.entries, 3);
	CHECK_INT(stats.overrun, 30);
	CHECK_INT(stats.refused, 9);
	CHECK_INT(stats.read, 300);
	CHECK_INT(stream__stats_of(&stream, 2, &stats), 0);
	CHECK(stats.entries == 2 && stats.overrun == 20 && stats.refused == 3 && stats.read == 200);
	stream__close(&stream);
	CHECK_INT(stream__waiting("instances/x", &waiting), 0);
	CHECK_INT(waiting, 3);
	CHECK_INT(stream__waiting("instances/none", &waiting), -ENOENT);
	CHECK_INT(stream__open(&stream, "instances/none"), -ENOENT);
	stream__close(&stream);
}

int main(void)
{
	char command[64];

	CHECK(mkdtemp(folder));
	tracefs__use(folder);
	append("instances/x/events/header_page", header_page, strlen(header_page));
	test_order();
	test_any();
	test_limit();
	test_rounds();
	test_young();
	test_broken();
	test_stats();
	test_rest();
	test_next_on_cpu();
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	CHECK_INT(system(command), 0);
	return check_done();
}
