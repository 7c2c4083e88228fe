/* SPDX-License-Identifier: BSD-2-Clause */
/* Where this machine has a library or a program, as the dynamic linker and a shell find it. */
#ifndef PROBELIGHT_USER_OWN_H
#define PROBELIGHT_USER_OWN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a file of that name (without directories) is meant by what the user has typed: "libc" means libc.so.6 and libc-2.31.so. */
bool user_own__is_meant(const char *file, const char *typed);

/*
 * The path of a library in /etc/ld.so.cache or in the usual directories, or of a program in those; false: there is none.  Source: glibc's
 * struct cache_file_new (sysdeps/generic/dl-cache.h); only its entries for this machine's architecture count.
 */
bool user_own__find(const char *typed, char *path, size_t size);

/* The same in a cache's bytes, which may be any. */
bool user_own__find_in(const char *cache, size_t cache_size, const char *typed, char *path, size_t size);

#endif
