// SPDX-License-Identifier: BSD-2-Clause
// What a static libelf calls and we give it ourselves. libbpf/find links this where libelf.a wants one of the two, the first with
// LACKS_LIBEU alone: functions that libelf.a has itself must not be defined twice.
#define _GNU_SOURCE
#include <search.h>
#include <stddef.h>

// elfutils 0.192 (Debian 13) calls functions of its inner libeu that no static library there has; 0.193 put them into
// libelf.a again (https://sourceware.org/bugzilla/show_bug.cgi?id=32293). A tree is a struct whose first member is the
// root; the lock behind it is there only in a libelf built for threads, and libbpf uses an Elf handle from one only.
#ifdef LACKS_LIBEU
void eu_search_tree_init(void **tree);
void eu_search_tree_fini(void **tree, void (*free_node)(void *));
void *eu_tsearch(const void *key, void **tree, int (*compare)(const void *, const void *));
void *eu_tdelete(const void *key, void **tree, int (*compare)(const void *, const void *));

void eu_search_tree_init(void **tree)
{
	*tree = NULL;
}

void eu_search_tree_fini(void **tree, void (*free_node)(void *))
{
	tdestroy(*tree, free_node);
}

void *eu_tsearch(const void *key, void **tree, int (*compare)(const void *, const void *))
{
	return tsearch(key, tree, compare);
}

void *eu_tdelete(const void *key, void **tree, int (*compare)(const void *, const void *))
{
	return tdelete(key, tree, compare);
}
#endif

// From 0.189 on libelf knows sections compressed with zstd. There are none in the objects that bpftool embeds, and zstd
// would make each tool larger by half. Weak: a libelf that calls more of it gets all of the real one.
size_t ZSTD_decompress(void *to, size_t to_size, const void *from, size_t from_size);
size_t ZSTD_compressStream2(void *context, void *out, void *in, int end);
void *ZSTD_createCCtx(void);
size_t ZSTD_freeCCtx(void *context);
unsigned ZSTD_isError(size_t result);

__attribute__((weak)) size_t ZSTD_decompress(void *to, size_t to_size, const void *from, size_t from_size)
{
	(void)to, (void)to_size, (void)from, (void)from_size;
	return -1;
}

__attribute__((weak)) size_t ZSTD_compressStream2(void *context, void *out, void *in, int end)
{
	(void)context, (void)out, (void)in, (void)end;
	return -1;
}

__attribute__((weak)) void *ZSTD_createCCtx(void)
{
	return NULL;
}

__attribute__((weak)) size_t ZSTD_freeCCtx(void *context)
{
	(void)context;
	return 0;
}

// All that is called here fails.
__attribute__((weak)) unsigned ZSTD_isError(size_t result)
{
	(void)result;
	return 1;
}
