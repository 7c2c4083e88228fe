/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of TLS libraries, in every file that has them: libraries, and programs that carry OpenSSL themselves. */
#ifndef PROBELIGHT_TLS_FUNCTIONS_H
#define PROBELIGHT_TLS_FUNCTIONS_H

#include "lib/user/user_hooks.h"

/* Their cookies: what the programs know of the function (sslsniff.h). */
struct tls_places {
	struct user_places begins, ends;
};

/* Zeroed at first; tls_functions__free() empties it. */
struct tls_functions {
	struct user_hooks hooks;
	struct tls_places places;
	size_t files;
};

/* The programs at the begin and the end of each call. */
struct tls_programs {
	const struct bpf_program *begins, *ends;
	int sites_fd;	/* of the map user_sites; -1: the kernel has cookies */
};

/*
 * Finds them in one file, by its path or name, or with NULL in all.  A function that must not be probed is reported and skipped.  0, or
 * -errno with one line in fault: -ENOENT where there is none.
 */
int tls_functions__find(struct tls_functions *functions, const char *file, struct fault *fault);

/* Attaches programs to them.  0, or -errno with one line in fault. */
int tls_functions__attach(struct tls_functions *functions, const struct tls_programs *programs, struct fault *fault);

/* Attaches them to the functions of one more file, as user_hooks_attach: 1, 0 where it has none, or -errno with one line in fault. */
int tls_functions__attach_to(struct tls_functions *functions, const struct user_target *target, const struct tls_programs *programs,
			     struct fault *fault);

void tls_functions__free(struct tls_functions *functions);

#endif
