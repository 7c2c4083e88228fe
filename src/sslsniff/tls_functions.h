/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of TLS libraries, in every file that has them: libraries, and programs that carry OpenSSL themselves. */
#ifndef PROBELIGHT_TLS_FUNCTIONS_H
#define PROBELIGHT_TLS_FUNCTIONS_H

#include "lib/user/user_hooks.h"

/* Zeroed at first; tls_functions__free() empties it. */
struct tls_functions {
	struct user_hooks hooks;
	struct user_places begins, ends;	/* their cookies: what the programs know of the function (sslsniff.h) */
	size_t files;
};

/*
 * Finds them in one file, by its path or name, or with NULL in all.  A function that must not be probed is reported and skipped.  0, or
 * -errno with one line in fault: -ENOENT where there is none.
 */
int tls_functions__find(struct tls_functions *functions, const char *file, struct fault *fault);

/* Attaches programs to them.  sites_fd: of the map user_sites; -1: the kernel has cookies.  0, or -errno with one line in fault. */
int tls_functions__attach(struct tls_functions *functions, const struct bpf_program *begins, const struct bpf_program *ends, int sites_fd,
			  struct fault *fault);

void tls_functions__free(struct tls_functions *functions);

#endif
