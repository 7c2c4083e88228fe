/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments of functions of programs and libraries as fields: by number (arg0, arg1:str), or by the C declarations that the user has given:
 * "char *path, int flags".  Programs find them in the registers that a call has them in, or where a return has what was kept of it.
 */
#ifndef PROBELIGHT_USER_ARGS_H
#define PROBELIGHT_USER_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "format.h"
#include "kfuncs.h"
#include "lib/print/fault.h"
#include "lib/shared/call_args.h"

#define USER_CALL "u"		/* the systems of the formats: of calls, */
#define USER_RETURN "ur"	/* of their returns, */
#define USER_PROBE "usdt"	/* and of probes that programs have */
#define USER_ARGS_MAX CALL_ARGS		/* in registers; further ones are on the stack */

/*
 * Takes a declaration apart: of "const char *path" *type is "const char *", freed by the caller (NULL: no memory), and *name is in the text,
 * which is cut where it ends.  "char name[8]" is of type "char *".  False where it is a name alone, which *name then is.
 */
bool user_args__split(char *text, char **type, char **name);

/* What is asked for: names, and a type each where it was declared, or NULL. */
struct user_args_wanted {
	const char *const *names;
	const char *const *types;
	size_t count;
	const char *const *others;	/* names in filters and counts */
	size_t others_count;
	const char *operands;		/* of a probe: where its arguments are (usdt_operand.h); NULL: it is a function */
};

/* Whether parameters of the function are known by its name (user_prototypes.h): TARGET:FUNCTION[+OFFSET]. */
bool user_args__are_known(const char *name);

/*
 * Makes a format for calls of a function, or, with places, for returns (kfuncs.h).  The declared ones are the parameters in their order,
 * but for one named ret, which is what the function returns.  Without any, those that are known of the C library's functions
 * (user_prototypes.h) are there.  Of a probe all arguments are there, as numbers; those whose operand is not understood are left
 * out.  name: TARGET:FUNCTION[+OFFSET]; behind an offset no parameters are known by their names.  0 and *format, freed by
 * format__free(); -EINVAL with one line in fault; -ENOMEM.
 */
int user_args__format(const char *name, const struct kfuncs_places *places, const struct user_args_wanted *wanted, struct format **format,
		      struct fault *fault);

#endif
