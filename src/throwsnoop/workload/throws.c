/* SPDX-License-Identifier: BSD-2-Clause */
/* throws LIBRARY: waits for a line, then throws exceptions of known types by the library, as C++ programs do; ends after another line. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* As std::type_info. */
struct type {
	const void *functions;
	const char *name;
};

static void (*throw)(void *object, const struct type *type, void (*destructor)(void *));
static void (*rethrow)(void);

__attribute__((noinline, noclone)) void throwing_function(const char *name)
{
	struct type type = { NULL, name };

	throw(NULL, &type, NULL);
	__asm__ volatile("" : : : "memory");
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;

	if (!library) {
		fprintf(stderr, "throws: %s\n", argc > 1 ? dlerror() : "which library?");
		return 1;
	}
	*(void **)&throw = dlsym(library, "__cxa_throw");
	*(void **)&rethrow = dlsym(library, "__cxa_rethrow");
	puts("ready");
	fflush(stdout);
	getchar();
	for (int i = 0; i < 3; i++)
		throwing_function("St13runtime_error");
	throwing_function("i");
	throwing_function("PKc");
	throwing_function("*N2db10connection7timeoutE");	/* of an anonymous or hidden type */
	throwing_function("no type at all\n");
	throwing_function("");
	throwing_function((const char *)8);
	throw(NULL, (const struct type *)8, NULL);
	rethrow();
	rethrow();
	puts("thrown");
	fflush(stdout);
	getchar();
	return 0;
}
