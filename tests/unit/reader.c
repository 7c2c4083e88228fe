/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/run/reader, lib/run/rings: several ring buffers, read in the order of time.  A file stands for the kernel's. */
#include "lib/run/reader.h"

#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "lib/kernel/clock.h"
#include "lib/loop/batch.h"
#include "lib/print/out.h"

#define RING_SIZE 65536
#define RECORD_SIZE 48
#define COUNT 3

struct record {
	uint64_t ts_ns;
	uint32_t number;
	char rest[RECORD_SIZE - 12];
};

/* What the kernel has of a ring: the producer's side. */
static struct {
	char *pages;		/* the consumer's position, the producer's, the data twice */
	uint64_t at;
} kernel[COUNT];

static struct reader reader;
static struct out out;
static uint64_t times[4096];
static uint32_t numbers[4096];
static size_t printed;

static void print(void *ctx, const void *event, size_t size)
{
	const struct record *record = event;

	(void)ctx;
	CHECK_INT(size, sizeof(*record));
	numbers[printed % 4096] = record->number;
	times[printed++ % 4096] = record->ts_ns;
}

static uint64_t *position(int ring, size_t page) { return (uint64_t *)(kernel[ring].pages + page * (size_t)sysconf(_SC_PAGESIZE)); }

/* Writes into both places where the reader may see it. */
static void put_bytes(int ring, uint64_t at, const void *bytes, size_t size)
{
	char *data = kernel[ring].pages + 2 * sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < size; i++)
		data[(at + i) % RING_SIZE] = data[(at + i) % RING_SIZE + RING_SIZE] = ((const char *)bytes)[i];
}

/* A record with those flags in its header; returns its place. */
static uint64_t put(int ring, uint64_t ts_ns, uint32_t number, uint32_t flags)
{
	struct record record = { .ts_ns = ts_ns, .number = number };
	uint32_t header[2] = { sizeof(record) | flags, 0 };
	uint64_t at = kernel[ring].at;

	put_bytes(ring, at + sizeof(header), &record, sizeof(record));
	put_bytes(ring, at, header, sizeof(header));
	kernel[ring].at += sizeof(header) + sizeof(record);
	*position(ring, 1) = kernel[ring].at;
	return at;
}

static void submit(int ring, uint64_t at)
{
	uint32_t header[2] = { sizeof(struct record), 0 };

	put_bytes(ring, at, header, sizeof(header));
}

/* Reads once; the numbers of what was printed, as text. */
static const char *read_once(bool is_last)
{
	static char text[256];
	struct source source = { .wake_fd = -1 };
	struct batch batch;
	size_t used = 0;

	printed = 0;
	batch__begin(&batch, BATCH_RECORDS, BATCH_MS);
	CHECK_INT(is_last ? reader__read_last(&reader, &batch) : reader__read(&reader, &source, &batch), 0);
	CHECK_INT(batch.count, printed);
	*text = 0;
	for (size_t i = 0; i < printed && used < sizeof(text) - 8; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u", i ? " " : "", numbers[i]);
	return text;
}

static void open_rings(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (int i = 0; i < COUNT; i++) {
		int fd = memfd_create("ring", MFD_CLOEXEC);

		CHECK(fd >= 0 && !ftruncate(fd, (off_t)(2 * page + 2 * RING_SIZE)));
		kernel[i].pages = mmap(NULL, 2 * page + 2 * RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		CHECK(kernel[i].pages != MAP_FAILED);
		CHECK_INT(event_ring__map(&reader.rings[i].ring, fd, RING_SIZE, sizeof(struct record), (size_t)sysconf(_SC_PAGESIZE)), 0);
	}
	reader.rings_count = COUNT;
	reader.poll_fd = -1;
	reader.out = &out;
	reader.print = print;
}

static void check_order(void)
{
	uint64_t now = now_ns() - 1000000, at, future = now_ns() + 3600000000000;

	CHECK_STR(read_once(false), "");
	put(0, now + 5, 5, 0);
	put(1, now + 1, 1, 0);
	put(1, now + 2, 2, 0);
	put(1, now + 3, 30, BPF_RINGBUF_DISCARD_BIT);
	put(1, now + 6, 6, 0);
	put(2, now + 4, 4, 0);
	put(0, now + 7, 7, 0);
	CHECK_STR(read_once(false), "1 2 4 5 6 7");
	CHECK_STR(read_once(false), "");
	/* what is younger than the turn may have an older one before it that no ring shows yet */
	put(0, future, 2, 0);
	put(1, now, 1, 0);
	CHECK_STR(read_once(false), "1");
	CHECK_STR(read_once(false), "");
	CHECK_STR(read_once(true), "2");
	/* a record in hand: nothing that may be younger is read before it, and all of it once it is there */
	put(0, now, 1, 0);
	at = put(1, now + 1, 2, BPF_RINGBUF_BUSY_BIT);
	put(1, now + 3, 4, 0);
	put(2, now + 2, 3, 0);
	CHECK_STR(read_once(false), "");
	submit(1, at);
	CHECK_STR(read_once(false), "1 2 3 4");
	/* in hand for too long */
	at = put(1, now, 3, BPF_RINGBUF_BUSY_BIT);
	put(0, now + 1, 1, 0);
	put(2, now + 2, 2, 0);
	CHECK_STR(read_once(false), "");
	usleep((READER_BUSY_MS + 1) * 1000);
	CHECK_STR(read_once(false), "1 2");
	submit(1, at);
	CHECK_STR(read_once(false), "3");
	/* or a ring is half full */
	at = put(1, now, 3, BPF_RINGBUF_BUSY_BIT);
	for (size_t i = 0; i <= RING_SIZE / 2 / (sizeof(struct record) + BPF_RINGBUF_HDR_SZ); i++)
		put(0, now + 1 + i, 1, 0);
	read_once(false);
	CHECK(printed > RING_SIZE / 2 / (sizeof(struct record) + BPF_RINGBUF_HDR_SZ));
	submit(1, at);
	CHECK_STR(read_once(false), "3");
}

/* Many, over the end of the data and again, of rings that are in no relation. */
static void check_many(void)
{
	uint64_t now = now_ns() - 1000000, last = 0, all = 0;

	for (uint32_t round = 0; round < 20; round++) {
		for (uint32_t i = 0; i < 1500; i++)
			put((int)(i * i / 7 % COUNT), now + round * 1500 + i, i, i % 11 == 3 ? BPF_RINGBUF_DISCARD_BIT : 0);
		read_once(false);
		all += printed;
		for (size_t i = 0; i < printed; i++) {
			CHECK(times[i] > last);
			last = times[i];
		}
	}
	CHECK_INT(all, 20 * (1500 - 137));
	for (int i = 0; i < COUNT; i++)
		CHECK_INT(*position(i, 0), *position(i, 1));
}

/* CPUs, the program's size, --buffer, the largest record: so many rings of that size. */
static void check_choice(void)
{
	static const struct { uint32_t cpus, one, asked, record, count, size; } cases[] = {
		{ 1, 1 << 20, 0, 0, 1, 1 << 20 }, { 1, 2 << 20, 0, 0, 1, 2 << 20 }, { 1, 1 << 20, 4096, 0, 1, 4096 },
		{ 2, 1 << 20, 0, 0, 2, 1 << 20 }, { 2, 2 << 20, 0, 0, 2, 1 << 20 }, { 2, 4 << 20, 0, 0, 2, 2 << 20 },
		{ 3, 1 << 20, 0, 0, 2, 1 << 20 }, { 4, 1 << 20, 0, 0, 4, 1 << 20 }, { 4, 128 << 10, 0, 0, 4, 128 << 10 },
		{ 16, 2 << 20, 0, 0, 16, 1 << 20 }, { 16, 4 << 20, 0, 0, 16, 1 << 20 }, { 500, 1 << 20, 0, 0, 16, 1 << 20 },
		/* --buffer is the sum */
		{ 4, 1 << 20, 16 << 20, 0, 4, 4 << 20 }, { 16, 1 << 20, 1 << 20, 0, 16, 64 << 10 },
		{ 16, 1 << 20, 256 << 10, 0, 4, 64 << 10 },
		{ 16, 1 << 20, 4096, 0, 1, 4096 }, { 16, 1 << 20, 64 << 10, 0, 1, 64 << 10 },
		/* each ring holds the largest record with its header */
		{ 16, 1 << 20, 1 << 20, 70000, 8, 128 << 10 }, { 16, 1 << 20, 1 << 20, 65528, 16, 64 << 10 },
		{ 16, 1 << 20, 1 << 20, 65529, 8, 128 << 10 }, { 16, 128 << 10, 128 << 10, 70000, 1, 128 << 10 },
	};
	/* the same with other pages: none is smaller than one */
	static const struct { uint32_t page, cpus, one, asked, count, size; } paged[] = {
		{ 16 << 10, 1, 1 << 20, 4096, 1, 16 << 10 }, { 64 << 10, 1, 1 << 20, 4096, 1, 64 << 10 },
		{ 64 << 10, 16, 1 << 20, 4096, 1, 64 << 10 }, { 64 << 10, 16, 1 << 20, 256 << 10, 4, 64 << 10 },
		{ 64 << 10, 4, 128 << 10, 0, 4, 128 << 10 }, { 256 << 10, 16, 128 << 10, 0, 16, 256 << 10 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t size = 0;

		CHECK_INT(rings__choose(cases[i].cpus, cases[i].one, cases[i].asked, cases[i].record, 4096, &size), cases[i].count);
		CHECK_INT(size, cases[i].size);
	}
	for (size_t i = 0; i < sizeof(paged) / sizeof(*paged); i++) {
		uint32_t size = 0;

		CHECK_INT(rings__choose(paged[i].cpus, paged[i].one, paged[i].asked, 0, paged[i].page, &size), paged[i].count);
		CHECK_INT(size, paged[i].size);
	}
}

int main(void)
{
	check_choice();
	open_rings();
	check_order();
	check_many();
	reader__free(&reader);
	return check_done();
}
