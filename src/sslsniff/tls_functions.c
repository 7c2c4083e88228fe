/* SPDX-License-Identifier: BSD-2-Clause */
#include "tls_functions.h"

#include <errno.h>

#include "lib/print/say.h"
#include "sslsniff.h"

#define VERSIONS_MAX 4		/* of a function, at different addresses of a file */
#define FUNCTION(library, direction) (TLS_##library | TLS_##direction << 4)

static const struct tls_function {
	const char *name;
	uint32_t number;
} known[] = {
	{ "SSL_read", FUNCTION(OPENSSL, RECEIVE) },
	{ "SSL_read_ex", FUNCTION(OPENSSL, RECEIVE) | TLS_COUNTS_BESIDE },
	{ "SSL_write", FUNCTION(OPENSSL, SEND) },
	{ "SSL_write_ex", FUNCTION(OPENSSL, SEND) | TLS_COUNTS_BESIDE },
	{ "SSL_do_handshake", FUNCTION(OPENSSL, HANDSHAKE) },
	{ "SSL_get_error", TLS_OPENSSL | TLS_TELLS_WHY },
	{ "gnutls_record_recv", FUNCTION(GNUTLS, RECEIVE) },
	{ "gnutls_record_recv_seq", FUNCTION(GNUTLS, RECEIVE) },
	{ "gnutls_record_send", FUNCTION(GNUTLS, SEND) },
	{ "gnutls_record_send2", FUNCTION(GNUTLS, SEND) },
	{ "gnutls_handshake", FUNCTION(GNUTLS, HANDSHAKE) },
	{ "PR_Read", FUNCTION(NSS, RECEIVE) },
	{ "PR_Recv", FUNCTION(NSS, RECEIVE) },
	{ "PR_Write", FUNCTION(NSS, SEND) },
	{ "PR_Send", FUNCTION(NSS, SEND) },
	{ "PR_Writev", FUNCTION(NSS, SEND) | TLS_TAKES_VECTORS },
	{ "PR_GetError", TLS_NSS | TLS_TELLS_WHY },
};

/* Where a function begins and ends: both, or it is skipped.  0 or -ENOMEM. */
static int add_function(struct tls_places *places, const struct user_target *target, const struct user_function *found,
			const struct tls_function *function)
{
	struct user_sites entry, returns;
	struct fault why;
	int err = user_site__entry(target->file, found, 0, &entry, &why);

	if (!err)
		err = user_site__returns(target->file, found, USER_RETURNS_AUTO, false, &returns, &why);
	if (err) {
		say("%.256s of %.256s is skipped: %.400s", function->name, target->path, why.text);
		return err == -ENOMEM ? err : 0;
	}
	if (!(function->number & TLS_TELLS_WHY))
		err = user_places__add(&places->begins, target, &entry, 0, function->number);
	return err ? err : user_places__add(&places->ends, target, &returns, 0, function->number);
}

/* 1, 0 where it has none of them, or -ENOMEM. */
static int add_file(struct tls_places *places, const struct user_target *target)
{
	size_t before = places->begins.count;
	int err = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct user_function list[VERSIONS_MAX];
		size_t count = user_file__find(target->file, known[i].name, list, VERSIONS_MAX);

		for (size_t j = 0; j < count && j < VERSIONS_MAX && !err; j++)
			err = add_function(places, target, &list[j], &known[i]);
	}
	return err ? err : places->begins.count > before;
}

static int add_files(struct tls_functions *functions, const struct user_targets *targets, struct fault *fault)
{
	for (size_t i = 0; i < targets->count; i++) {
		int has = add_file(&functions->places, &targets->list[i]);

		if (has < 0)
			return fault__set(fault, has, "no memory");
		functions->files += (size_t)has;
	}
	return 0;
}

/* The libraries, in containers too, and programs. */
static int find_all(struct tls_functions *functions, struct fault *fault)
{
	static const char *const libraries[] = { "libssl", "libgnutls", "libnspr4" };
	const struct user_targets *targets;
	struct fault other;
	int err;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		err = user_hooks__find(&functions->hooks, libraries[i], 0, &targets, &other);
		if (!err)
			err = add_files(functions, targets, &other);
		if (err && err != -ENOENT)
			return fault__set(fault, err, "%s", other.text);
	}
	err = user_hooks__find_programs(&functions->hooks, "SSL_write", &targets, fault);
	return err ? err : add_files(functions, targets, fault);
}

int tls_functions__find(struct tls_functions *functions, const char *file, struct fault *fault)
{
	const struct user_targets *targets;
	int err;

	if (!file) {
		err = find_all(functions, fault);
	} else {
		err = user_hooks__find(&functions->hooks, file, 0, &targets, fault);
		if (!err)
			err = add_files(functions, targets, fault);
	}
	if (err || functions->files)
		return err;
	if (file)
		return fault__set(fault, -ENOENT, "%.256s has none of the functions: SSL_write, gnutls_record_send, PR_Write, …", file);
	return fault__set(fault, -ENOENT, "no process uses OpenSSL, GnuTLS or NSS, and this machine has none of them (--shared FILE)");
}

static int attach(struct tls_functions *functions, const struct bpf_program *program, struct user_places *places, int sites_fd,
		  struct fault *fault)
{
	int err = sites_fd < 0 ? 0 : user_places__write(places, sites_fd, fault);

	return err ? err : user_hooks__attach(&functions->hooks, program, places, fault);
}

static int attach_both(struct tls_functions *functions, const struct tls_programs *programs, struct tls_places *places, struct fault *fault)
{
	/* the ends first: a call that is seen to begin is then seen to end */
	int err = attach(functions, programs->ends, &places->ends, programs->sites_fd, fault);

	return err ? err : attach(functions, programs->begins, &places->begins, programs->sites_fd, fault);
}

static void free_places(struct tls_places *places)
{
	user_places__free(&places->begins);
	user_places__free(&places->ends);
}

int tls_functions__attach(struct tls_functions *functions, const struct tls_programs *programs, struct fault *fault)
{
	return attach_both(functions, programs, &functions->places, fault);
}

int tls_functions__attach_to(struct tls_functions *functions, const struct user_target *target, const struct tls_programs *programs,
			     struct fault *fault)
{
	struct tls_places places = { .begins = { 0 } };
	int has = add_file(&places, target), err = 0;

	if (has < 0)
		fault__set(fault, has, "no memory");
	else if (has)
		err = attach_both(functions, programs, &places, fault);
	free_places(&places);
	return err ? err : has;
}

void tls_functions__free(struct tls_functions *functions)
{
	user_hooks__free(&functions->hooks);
	free_places(&functions->places);
}
