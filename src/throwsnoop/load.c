/* SPDX-License-Identifier: BSD-2-Clause */
/* throwsnoop-load COUNT [WRITERS [RATE]]: exceptions, by a function that has the name of the C++ library's. */
#include "work.h"

static const struct type {
	const void *functions;
	const char *name;
} type = { NULL, "12bench_marker" };

__attribute__((noinline, noclone, used)) void __cxa_throw(void *object, const struct type *thrown, void (*destructor)(void *))
{
	__asm__ volatile("" : : "r"(object), "r"(thrown), "r"(destructor) : "memory");
}

static void make(void)
{
	__cxa_throw(NULL, &type, NULL);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, make);
}
