/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: lib/symbol/demangle on any bytes, as they are and as names of C++ and Rust. */
#include "lib/symbol/demangle.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const prefixes[] = { "", "_Z", "_ZN", "_R", "_RNvC" };
	char name[1100], *text;

	if (size > 1000)
		size = 1000;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t length = strlen(prefixes[i]);

		memcpy(name, prefixes[i], length);
		memcpy(name + length, data, size);
		name[length + size] = 0;
		text = demangle(name);
		REQUIRE(!text || (*text && strlen(text) <= DEMANGLED_MAX && *name == '_'));
		free(text);
	}
	return 0;
}
