/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A list of arguments as a process hands it to an exec: pointers in its memory, the last one NULL, of word_size bytes each:
 * 8, or 4 in a 32-bit call.  Include it after vmlinux.h.
 */
#ifndef PROBELIGHT_ARGV_BPF_H
#define PROBELIGHT_ARGV_BPF_H

#include <bpf/bpf_helpers.h>

/* How far arguments are counted: 512,000 of them */
#define ARGV_CHUNK_SIZE 64	/* bytes of the list, read at once by argv_count_chunk() */
#define ARGV_CHUNKS 40		/* of them, argv_count_block() */
#define ARGV_BLOCKS 40		/* of these, argv_count_region() */
#define ARGV_REGIONS 40		/* and of these */

/*
 * The elements of argv before the one that ends it, up to ARGV_CHUNK_SIZE bytes of them; negative where they cannot be
 * read.  A global function, as are others here: the verifier looks at each of them once, not once for every way that
 * leads there (since 5.6).
 */
__noinline int argv_count_chunk(u64 argv, u32 word_size)
{
	u64 words[ARGV_CHUNK_SIZE / 8];

	if (bpf_probe_read_user(words, sizeof(words), (const void *)argv)) {
		/* the list may end in front of an unmapped page */
		for (u32 i = 0; i < ARGV_CHUNK_SIZE / 4 && i * word_size < ARGV_CHUNK_SIZE; i++) {
			u64 word[2] = {};

			if (bpf_probe_read_user(word, word_size & 12, (const void *)argv + i * word_size))
				return -1;
			if (!*word)
				return i;
		}
		return ARGV_CHUNK_SIZE / word_size;
	}
	for (u32 i = 0; i < ARGV_CHUNK_SIZE / 8; i++) {
		u32 low = words[i], high = words[i] >> 32;

		if (word_size == 8 ? !words[i] : !low || !high)
			return i * 8 / word_size + (word_size == 4 && low);
	}
	return ARGV_CHUNK_SIZE / word_size;
}

/* Goes on as long as count() finds whole parts of the list, of size bytes each. */
static __always_inline int argv_count_parts(int (*count)(u64, u32), u32 parts, u32 size, u64 argv, u32 word_size)
{
	int sum = 0;

	for (u32 i = 0; i < parts; i++) {
		int words = count(argv + (u64)i * size, word_size);

		if (words < 0)
			return -1;
		sum += words;
		if (words * word_size < size)
			break;
	}
	return sum;
}

__noinline int argv_count_block(u64 argv, u32 word_size)
{
	return argv_count_parts(argv_count_chunk, ARGV_CHUNKS, ARGV_CHUNK_SIZE, argv, word_size);
}

__noinline int argv_count_region(u64 argv, u32 word_size)
{
	return argv_count_parts(argv_count_block, ARGV_BLOCKS, ARGV_CHUNKS * ARGV_CHUNK_SIZE, argv, word_size);
}

/* How many arguments; negative where the list cannot be read to its end. */
__noinline int argv_count(u64 argv, u32 word_size)
{
	return argv_count_parts(argv_count_region, ARGV_REGIONS, ARGV_BLOCKS * ARGV_CHUNKS * ARGV_CHUNK_SIZE, argv, word_size);
}

#endif
