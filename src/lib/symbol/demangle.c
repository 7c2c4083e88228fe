/* SPDX-License-Identifier: BSD-2-Clause */
#include "demangle.h"

#include <stddef.h>
#include <string.h>

#ifdef HAS_LIBIBERTY

#include <setjmp.h>

#include <libiberty/demangle.h>

struct result {
	char text[DEMANGLED_MAX + 1];
	size_t size;
	jmp_buf too_long;
};

static void add(const char *text, size_t size, void *data)
{
	struct result *result = data;

	/* the demangler cannot be told to stop; it holds nothing that would have to be released */
	if (size > DEMANGLED_MAX - result->size)
		longjmp(result->too_long, 1);
	/* libiberty passes NULL with a size of 0 */
	if (size)
		memcpy(result->text + result->size, text, size);
	result->size += size;
}

bool demangle__is_there(void)
{
	return true;
}

char *demangle(const char *name)
{
	struct result result;
	bool is_rust = !strncmp(name, "_R", 2);

	if (!is_rust && strncmp(name, "_Z", 2))
		return NULL;
	result.size = 0;
	if (setjmp(result.too_long))
		return NULL;
	/* names of Rust's old kind are C++ names, too */
	if (!rust_demangle_callback(name, DMGL_NO_OPTS, add, &result)) {
		result.size = 0;
		if (is_rust || !cplus_demangle_v3_callback(name, DMGL_NO_OPTS, add, &result))
			return NULL;
	}
	result.text[result.size] = 0;
	return *result.text ? strdup(result.text) : NULL;
}

char *demangle_type(const char *name)
{
	struct result result = { .size = 0 };

	if (setjmp(result.too_long))
		return NULL;
	/* with DMGL_PARAMS a name that goes on behind a type is none */
	if (!cplus_demangle_v3_callback(name, DMGL_TYPES | DMGL_PARAMS, add, &result))
		return NULL;
	result.text[result.size] = 0;
	return *result.text ? strdup(result.text) : NULL;
}

#else

bool demangle__is_there(void)
{
	return false;
}

char *demangle(const char *name)
{
	(void)name;
	return NULL;
}

char *demangle_type(const char *name)
{
	(void)name;
	return NULL;
}

#endif
