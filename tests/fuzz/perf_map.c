/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: lib/symbol/perf_map on any bytes. */
#include "lib/symbol/perf_map.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_map *map = perf_map__parse((const char *)data, size);
	static const uint64_t wide[] = { 1ull << 32, 1ull << 63, UINT64_MAX - 1, UINT64_MAX };

	REQUIRE(map && perf_map__count(map) <= size / 6 + 1);
	for (uint64_t address = 0; address < 300 + sizeof(wide) / sizeof(*wide); address++) {
		const char *name = perf_map__at(map, address < 300 ? address : wide[address - 300]);

		REQUIRE(!name || (*name && strlen(name) <= PERF_MAP_NAME_MAX && !strchr(name, '\n')));
	}
	perf_map__free(map);
	return 0;
}
