/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: lib/relos on ELF bytes of any kind, beside the BTF of a sound object. */
#include "lib/layout/relos.h"

#include <bpf/libbpf.h>

#include "fuzz.h"

#define OBJECT "tests/fuzz/relos.corpus/kprobe"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct btf *btf;
	struct relo_step steps[RELO_STEPS_MAX];
	char *copy = fuzz_copy(data, size);
	struct relos relos;

	if (!btf) {
		libbpf_set_print(NULL);
		btf = btf__parse_elf(OBJECT, NULL);
		REQUIRE(btf);
	}
	if (!relos__read(&relos, btf, copy, size)) {
		for (size_t i = 0; i < relos.count; i++) {
			const struct relo *relo = &relos.list[i];

			REQUIRE(btf__type_by_id(btf, relo->root_id) && strlen(relo->access) < size && strlen(relo->function) < size);
			if (relo__is_field(relo))
				REQUIRE(relo__steps(relo, btf, steps) <= RELO_STEPS_MAX);
			if (relo__is_enumerator(relo))
				relo__enumerator(relo, btf);
			relo__is_question(relo);
			relo__is_found(relo, btf, btf);
		}
		relos__free(&relos);
	}
	free(copy);
	return 0;
}
