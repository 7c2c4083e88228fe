/* SPDX-License-Identifier: BSD-2-Clause */
/* gethostlatency-load COUNT [WRITERS [RATE]]: look-ups of a host, by a function that has the name of the C library's. */
#include "work.h"

__attribute__((noinline, noclone, used)) int getaddrinfo(const char *name, const char *service, const void *hints, void **result)
{
	__asm__ volatile("" : : "r"(name), "r"(service), "r"(hints), "r"(result) : "memory");
	return 0;
}

/* bcc's tools do not start where a C library lacks one of these.  Nothing calls them; gethostlatency probes what they would call. */
__attribute__((noinline, noclone, used)) void *gethostbyname(const char *name)
{
	__asm__ volatile("" : : "r"(name) : "memory");
	return NULL;
}

__attribute__((noinline, noclone, used)) void *gethostbyname2(const char *name, int family)
{
	__asm__ volatile("" : : "r"(name), "r"(family) : "memory");
	return NULL;
}

static void make(void)
{
	void *result;

	if (getaddrinfo("bench-marker.example", NULL, NULL, &result))
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, make);
}
