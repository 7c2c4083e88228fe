/* SPDX-License-Identifier: BSD-2-Clause */
#include "law_workload.h"

/* As std::type_info. */
struct type {
	const void *functions;
	const char *name;
};

__attribute__((noinline, noclone, used)) void __cxa_throw(void *object, const struct type *type, void (*destructor)(void *))
{
	__asm__ volatile("" : : "r"(object), "r"(type), "r"(destructor) : "memory");
}

__attribute__((noinline, noclone, used)) void __cxa_rethrow(void)
{
	__asm__ volatile("" : : : "memory");
}

/* An exception is thrown, and in turn thrown again. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static const struct type type = { NULL, "St13runtime_error" };

	(void)writer, (void)fail;
	if (index % 2)
		__cxa_rethrow();
	else
		__cxa_throw(NULL, &type, NULL);
	return false;
}
