/* SPDX-License-Identifier: BSD-2-Clause */
/* A library of that name in guests, which have no OpenSSL: what sslsniff finds where nobody names a file.  Nothing calls its functions. */
int SSL_write(void *session, const void *data, int size) { return session && data ? size : -1; }
int SSL_read(void *session, void *data, int size) { return session && data ? size : 0; }
