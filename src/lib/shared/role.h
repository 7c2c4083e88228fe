/* SPDX-License-Identifier: BSD-2-Clause */
/* The declaration tags by which a program says what it sees of an event: bpf/role.bpf.h sets them, probe/role.h reads them. */
#ifndef PROBELIGHT_SHARED_ROLE_H
#define PROBELIGHT_SHARED_ROLE_H

#define ROLE_BEGIN "probelight:begin"
#define ROLE_END "probelight:end"
#define ROLE_WHOLE "probelight:whole"
#define ROLE_NO_EVENT "probelight:no-event"

#endif
