/* SPDX-License-Identifier: BSD-2-Clause */
/* The user who called sudo(8): commands that a tool runs are that user's, not root's. */
#ifndef PROBELIGHT_INVOKER_H
#define PROBELIGHT_INVOKER_H

/*
 * Makes the calling process, which is root by way of sudo, one of the user that SUDO_UID and SUDO_GID name: user and groups
 * (those of /etc/group and no other sources, as static programs have no NSS), HOME, USER, LOGNAME and SHELL as in
 * /etc/passwd; MAIL and sudo's own variables go.  For a process without other threads that will not need root again.
 *
 * 0, also where there is nothing to do: not root, not by way of sudo, or root was the caller.  -EINVAL where these
 * variables are no numbers, or -errno of setgroups(2), setresgid(2) or setresuid(2): the process must not go on as root
 * then.
 */
int invoker__become(void);

#endif
