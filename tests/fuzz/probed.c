/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: lines of kprobe_events, kprobes/list and enabled_functions of any bytes.  Whoever may make probes chooses the
 * names in them.
 */
#include "lib/probe/probed.h"

#include "fuzz.h"
#include "lib/probe/kprobe_events.h"
#include "lib/probe/own_lines.h"

static void check(bool (*parse)(const char *line, struct probed *probed), const char *line)
{
	struct probed probed = {};

	if (parse(line, &probed)) {
		REQUIRE(probed.function && *probed.function && strlen(probed.function) <= strlen(line));
		REQUIRE(!probed.module || strlen(probed.module) <= strlen(line));
	}
	probed__clear(&probed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct owner owner;

	for (size_t at = 0; at <= size;) {
		const uint8_t *newline = at < size ? memchr(data + at, '\n', size - at) : NULL;
		size_t length = newline ? (size_t)(newline - data) - at : size - at;
		char *line = fuzz_string(data + at, length);

		check(probed__parse_kprobe, line);
		check(probed__parse_ftrace, line);
		check(probed__parse_event, line);
		REQUIRE(!own_lines__owner(line, &owner) || owner.pid > 0);
		free(line);
		at += length + 1;
	}
	return 0;
}
