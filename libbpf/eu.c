// SPDX-License-Identifier: BSD-2-Clause
// What the libelf.a of elfutils 0.192 (Debian 13) calls and no static library there has: functions of its inner libeu,
// which 0.193 put into libelf.a again (https://sourceware.org/bugzilla/show_bug.cgi?id=32293). libbpf/find adds this
// where it is missing. A tree is a struct whose first member is the root; the lock behind it is there only in a libelf
// built for threads, and libbpf uses an Elf handle from one thread only.
#define _GNU_SOURCE
#include <search.h>
#include <stddef.h>

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
