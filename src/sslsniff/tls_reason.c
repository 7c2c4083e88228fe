/* SPDX-License-Identifier: BSD-2-Clause */
#include "tls_reason.h"

#include <stdio.h>

#include "sslsniff.h"

/* Of openssl/ssl.h, gnutls/gnutls.h and nspr/prerr.h. */
static const struct {
	unsigned int library;
	int32_t reason;
	const char *name;
} names[] = {
	{ TLS_OPENSSL, 1, "SSL" },
	{ TLS_OPENSSL, 2, "WANT_READ" },
	{ TLS_OPENSSL, 3, "WANT_WRITE" },
	{ TLS_OPENSSL, 4, "WANT_X509_LOOKUP" },
	{ TLS_OPENSSL, 5, "SYSCALL" },
	{ TLS_OPENSSL, 6, "ZERO_RETURN" },
	{ TLS_OPENSSL, 7, "WANT_CONNECT" },
	{ TLS_OPENSSL, 8, "WANT_ACCEPT" },
	{ TLS_OPENSSL, 9, "WANT_ASYNC" },
	{ TLS_OPENSSL, 10, "WANT_ASYNC_JOB" },
	{ TLS_OPENSSL, 11, "WANT_CLIENT_HELLO_CB" },
	{ TLS_OPENSSL, 12, "WANT_RETRY_VERIFY" },
	{ TLS_GNUTLS, -9, "UNEXPECTED_PACKET_LENGTH" },
	{ TLS_GNUTLS, -10, "INVALID_SESSION" },
	{ TLS_GNUTLS, -12, "FATAL_ALERT_RECEIVED" },
	{ TLS_GNUTLS, -15, "UNEXPECTED_PACKET" },
	{ TLS_GNUTLS, -16, "WARNING_ALERT_RECEIVED" },
	{ TLS_GNUTLS, -24, "DECRYPTION_FAILED" },
	{ TLS_GNUTLS, -28, "AGAIN" },
	{ TLS_GNUTLS, -37, "REHANDSHAKE" },
	{ TLS_GNUTLS, -43, "CERTIFICATE_ERROR" },
	{ TLS_GNUTLS, -52, "INTERRUPTED" },
	{ TLS_GNUTLS, -53, "PUSH_ERROR" },
	{ TLS_GNUTLS, -54, "PULL_ERROR" },
	{ TLS_GNUTLS, -87, "NO_CIPHER_SUITES" },
	{ TLS_GNUTLS, -110, "PREMATURE_TERMINATION" },
	{ TLS_GNUTLS, -319, "TIMEDOUT" },
	{ TLS_GNUTLS, -328, "SESSION_EOF" },
	{ TLS_GNUTLS, -348, "CERTIFICATE_VERIFICATION_ERROR" },
	{ TLS_NSS, -5938, "END_OF_FILE" },
	{ TLS_NSS, -5961, "CONNECT_RESET" },
	{ TLS_NSS, -5978, "NOT_CONNECTED" },
	{ TLS_NSS, -5990, "IO_TIMEOUT" },
	{ TLS_NSS, -5991, "IO" },
	{ TLS_NSS, -5993, "PENDING_INTERRUPT" },
	{ TLS_NSS, -5998, "WOULD_BLOCK" },
};

const char *tls_reason(unsigned int library, int32_t reason, char room[TLS_REASON_MAX])
{
	if (reason == TLS_NO_REASON)
		return "failed";
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].library == library && names[i].reason == reason)
			return names[i].name;
	snprintf(room, TLS_REASON_MAX, "%d", reason);
	return room;
}
