/* SPDX-License-Identifier: BSD-2-Clause */
/* --kswapd: who has freed the machine's memory, kswapd in the background or tasks that waited for it, by the kernel's own counts. */
#ifndef DRSNOOP_SHARE_H
#define DRSNOOP_SHARE_H

#include <stddef.h>

#define SHARE_TEXT_SIZE 256

/* From now on.  Opens what share__tell() reads, so that it needs no privileges by then.  0 or -errno. */
int share__begin(void);

/*
 * What was freed since then, as a sentence.  0 or -errno.  The counts are exact: CPUs have added theirs up (vm.stat_refresh), where they
 * may be asked to.
 */
int share__tell(char text[SHARE_TEXT_SIZE]);

#endif
