/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: lib/ftrace/trace_dat on any bytes as a trace.dat: an error, or formats and records that are inside of pages. */
#include "lib/ftrace/trace_dat.h"

#include "fuzz.h"

/* Lanes may overlap, so that a small file has many records. */
#define RECORDS_MAX 20000

struct input {
	const uint8_t *data;
	size_t size;
};

static int64_t read_at(void *ctx, uint64_t offset, void *to, size_t size)
{
	const struct input *input = ctx;
	size_t got = offset < input->size ? input->size - offset : 0;

	got = got < size ? got : size;
	if (got)
		memcpy(to, input->data + offset, got);
	return (int64_t)got;
}

static void look_at_events(const struct trace_dat *dat)
{
	char relative[1100], *text;
	size_t size;

	for (size_t i = 0; i < dat->events_count; i++) {
		snprintf(relative, sizeof(relative), "events/%s/format", dat->events[i].name);
		REQUIRE(strchr(dat->events[i].name, '/'));
		REQUIRE(!trace_dat__read(dat, relative, SIZE_MAX / 2, &text, &size));
		REQUIRE(!text[size]);
		free(text);
	}
	REQUIRE(!trace_dat__read(dat, "available_events", 64 << 20, &text, &size));
	free(text);
	for (size_t i = 0; i < dat->names.count; i++)
		REQUIRE(saved_names__find(&dat->names, dat->names.list[i].tid));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { .data = fuzz_copy(data, size), .size = size };
	const struct trace_dat_bytes bytes = { .read_at = read_at, .ctx = &input };
	struct stream_record record;
	struct trace_dat dat;
	struct fault fault;
	unsigned int sum = 0, count = 0;

	fault.text[0] = '\0';
	if (trace_dat__open(&dat, &bytes, &fault)) {
		REQUIRE(fault.err < 0 && *fault.text);
	} else {
		look_at_events(&dat);
		while (count++ < RECORDS_MAX && trace_dat__next(&dat, &record) > 0)
			for (uint32_t i = 0; i < record.record.size; i++)
				sum += record.record.data[i];
	}
	trace_dat__close(&dat);
	free((void *)input.data);
	return sum == UINT32_MAX;
}
