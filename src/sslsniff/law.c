/* SPDX-License-Identifier: BSD-2-Clause */
#include "law_workload.h"

#define PROBED __attribute__((noinline, noclone, no_icf, used))

/* Functions as OpenSSL has them.  Without a session they fail; then SSL_get_error() says why: SSL_ERROR_SYSCALL. */
PROBED int SSL_write(void *session, const void *data, int size)
{
	__asm__ volatile("" : "+r"(size) : "r"(data) : "memory");
	return session ? size : -1;
}

PROBED int SSL_read(void *session, void *data, int size)
{
	__asm__ volatile("" : "+r"(size) : "r"(data) : "memory");
	return session ? size : 0;
}

PROBED int SSL_get_error(const void *session, int returned)
{
	__asm__ volatile("" : "+r"(returned) : "r"(session) : "memory");
	return returned > 0 ? 0 : 5;
}

static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static char data[64];
	void *session = fail ? NULL : data;
	int returned;

	(void)writer;
	returned = index % 2 ? SSL_write(session, data, sizeof(data)) : SSL_read(session, data, sizeof(data));
	if ((SSL_get_error(session, returned) != 0) != fail)
		law_die("SSL_get_error");
	return fail;
}
