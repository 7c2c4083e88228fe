/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of a function's call. */
#ifndef PROBELIGHT_CALL_ARGS_H
#define PROBELIGHT_CALL_ARGS_H

#define CALL_ARGS 6	/* those that are passed in registers; on x86 there are no more */

#endif
