/* SPDX-License-Identifier: BSD-2-Clause */
/* sslsniff-load COUNT [WRITERS [RATE]]: bytes that are sent by TLS, by a function that has the name of OpenSSL's. */
#include "work.h"

__attribute__((noinline, noclone, used)) int SSL_write(void *session, const void *data, int size)
{
	__asm__ volatile("" : "+r"(size) : "r"(session), "r"(data) : "memory");
	return size;
}

static void make(void)
{
	static char session;

	if (SSL_write(&session, WORK_MARKER, sizeof(WORK_MARKER) - 1) < 0)
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, make);
}
