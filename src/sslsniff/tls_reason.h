/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a call of a TLS library has failed. */
#ifndef PROBELIGHT_TLS_REASON_H
#define PROBELIGHT_TLS_REASON_H

#include <stdint.h>

#define TLS_REASON_MAX 16

/* A word for it, maybe in `room`: the library's own without what all of them begin with, else the number. */
const char *tls_reason(unsigned int library, int32_t reason, char room[TLS_REASON_MAX]);

#endif
