/* SPDX-License-Identifier: BSD-2-Clause */
#include "law_workload.h"

#define PROBED __attribute__((noinline, noclone, used))

/*
 * Functions as a C library has them.  This one calls the next one, as musl's do: one look-up.  A name that begins with "no" is not found.
 */
PROBED int gethostbyname2_r(const char *name, int family, void *host, char *buffer, size_t size, void **result, int *why)
{
	__asm__ volatile("" : : "r"(family), "r"(buffer), "r"(size), "r"(why) : "memory");
	*result = *name == 'n' ? NULL : host;
	return 0;
}

PROBED int gethostbyname_r(const char *name, void *host, char *buffer, size_t size, void **result, int *why)
{
	int returned = gethostbyname2_r(name, 2, host, buffer, size, result, why);

	__asm__ volatile("" : "+r"(returned));
	return returned;
}

PROBED int getaddrinfo(const char *name, const char *service, const void *hints, void **result)
{
	__asm__ volatile("" : : "r"(service), "r"(hints), "r"(result) : "memory");
	return name && *name == 'n' ? -2 : 0;
}

/* The two functions in turn; also getaddrinfo() without a name. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static char name[64];
	void *result;
	int host, why;

	snprintf(name, sizeof(name), "%s%u.%u.example", fail ? "no" : "host", index, writer);
	if (index % 2 == 0)
		gethostbyname_r(name, &host, NULL, 0, &result, &why);
	else if (getaddrinfo(!fail && index % 10 == 3 ? NULL : name, NULL, NULL, &result) != (fail ? -2 : 0))
		law_die("getaddrinfo");
	return fail;
}
