/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modules whose functions are traced.  When one is unloaded its hooks go with it, and do not come back with it: calls after
 * that are not seen, and nobody counts them.
 */
#ifndef PROBELIGHT_GONE_MODULES_H
#define PROBELIGHT_GONE_MODULES_H

#include <stdbool.h>

/* Why what was missed is not known then. */
#define GONE_MODULES_WHY "a module was unloaded"

/* From now on watches a module that is loaded; the same one as often as the caller likes. */
void gone_modules__watch(const char *module);

/*
 * The same for the module that has the function of a link, by the address that the kernel tells of it (since 6.6): a name may stand for a
 * function of a module without naming that.  Nothing where the address is not known.
 */
void gone_modules__watch_link(int link_fd);

/* A line on stderr for each that has been unloaded since the last call, also if it is loaded again by now.  Whether any ever has. */
bool gone_modules__look(void);

#endif
