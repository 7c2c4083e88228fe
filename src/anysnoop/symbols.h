/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names for addresses of the kernel's code among the values of events: function=it_real_fn, call_site=copy_process+0x10/0x20; and
 * texts that values are addresses of.
 */
#ifndef PROBELIGHT_RUN_SYMBOLS_H
#define PROBELIGHT_RUN_SYMBOLS_H

#include "lib/gen/plan.h"

/*
 * Before privileges are dropped: where the plans have such values, makes them shown by name. One program of the kernel tells a name; before
 * 5.19 all names are read when the first such value is shown (lib/kernel/names.h).
 */
void symbols__open(struct plan *plans, size_t count);
void symbols__open_key(struct key *key);	/* the same for the values of a key */
void symbols__close(void);

/* Makes the values of one more plan shown by name, if symbols__open() has found some to show. */
void symbols__show(struct plan *plan);

#endif
