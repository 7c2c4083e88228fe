/* SPDX-License-Identifier: BSD-2-Clause */
/* What to do where the kernel refuses to trace: what helps a user does not help root in a container. */
#ifndef PROBELIGHT_ADVICE_H
#define PROBELIGHT_ADVICE_H

/*
 * "run it with sudo" for an ordinary user; for root "this is a container: run it on the host", by the marks that container engines and
 * systemd leave, or "root has not all rights here, as in a container: run it on the host".  A static string.
 */
const char *advice__for_rights(void);

/* "mount -t tracefs …", or in a container what is said there.  A static string. */
const char *advice__for_tracefs(void);

#endif
