/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tls_calls: calls of functions that have the names of OpenSSL's, GnuTLS's and NSPR's, as main() lists them, in a connection to itself.  It
 * says "port PORT", and begins once a line comes from stdin.
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#define PROBED __attribute__((noinline, noclone, no_icf, used))

static int connection;
static bool uses_socket;	/* the next call sends a byte */
static long answer;		/* what it returns */

static long call(const void *data)
{
	if (uses_socket && send(connection, "x", 1, 0) != 1)
		exit(1);
	uses_socket = false;
	__asm__ volatile("" : : "r"(data) : "memory");
	return answer;
}

PROBED int SSL_do_handshake(void *session) { return (int)call(session); }
PROBED int SSL_read(void *session, void *data, int size) { return (int)call(data) + 0 * size; }
PROBED int SSL_get_error(const void *session, int reason)
{
	__asm__ volatile("" : "+r"(reason) : "r"(session) : "memory");
	return reason;
}

/* For no size it calls another one, as some do. */
PROBED int SSL_write(void *session, const void *data, int size)
{
	int returned = size < 0 ? SSL_read(session, NULL, 0) : (int)call(data);

	__asm__ volatile("" : "+r"(returned) : : "memory");
	return returned;
}

PROBED int SSL_read_ex(void *session, void *data, size_t size, size_t *count)
{
	*count = size;
	return (int)call(data);
}

PROBED int SSL_write_ex(void *session, const void *data, size_t size, size_t *count)
{
	*count = size;
	return (int)call(data);
}

PROBED int gnutls_handshake(void *session) { return (int)call(session); }
PROBED ssize_t gnutls_record_recv(void *session, void *data, size_t size) { return call(data); }

PROBED ssize_t gnutls_record_send2(void *session, const void *data, size_t size, size_t pad, unsigned int flags)
{
	long returned = call(data);

	__asm__ volatile("" : "+r"(returned) : "r"(pad), "r"(flags) : "memory");
	return returned;
}

/* By a jump. */
PROBED ssize_t gnutls_record_send(void *session, const void *data, size_t size)
{
	return gnutls_record_send2(session, data, size, 0, 0);
}

/* As prio.h has it, as far as it is needed. */
struct layers {
	const void *methods, *secret, *lower;
};

struct vector {
	const char *data;
	int size;
};

PROBED int PR_Write(struct layers *fd, const void *data, int size) { return (int)call(data); }
PROBED int PR_Writev(struct layers *fd, const struct vector *vectors, int count) { return (int)call(vectors); }
PROBED int PR_Read(struct layers *fd, void *data, int size) { return (int)call(data); }
PROBED int PR_GetError(void) { return (int)call(NULL); }

/* A connection of the process to itself. */
static void open_connection(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	connection = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &length) || connect(connection, (struct sockaddr *)&address, length)) {
		perror("connection");
		exit(1);
	}
	printf("port %u\n", ntohs(address.sin_port));
	fflush(stdout);
}

/* What the next call does. */
static void next(long returns, bool sends)
{
	answer = returns;
	uses_socket = sends;
}

int main(void)
{
	static char forged[] = "a\n1 root \033[31m\0\xff\\";
	static char large[300];
	static struct layers lower, secure = { .lower = &lower }, plain;
	static const struct vector vectors[] = { { "head", 4 }, { "and body", 8 } };
	int one, two;
	size_t count;
	char line[16];

	memset(large, 'b', sizeof(large));
	open_connection();
	if (!fgets(line, sizeof(line), stdin))
		return 1;

	next(1, true);
	SSL_do_handshake(&one);
	next(11, true);
	SSL_write(&one, "hello world", 11);
	/* of what has come already: no socket is used */
	next(sizeof(forged) - 1, false);
	SSL_read(&one, forged, sizeof(forged));
	next(sizeof(large), false);
	SSL_read(&one, large, sizeof(large));
	next(-1, true);
	SSL_read(&one, large, sizeof(large));
	SSL_get_error(&one, 2);
	next(0, false);
	SSL_read(&one, large, sizeof(large));
	SSL_get_error(&one, 6);
	next(1, false);
	SSL_read_ex(&one, large, 5, &count);
	next(0, false);
	SSL_write_ex(&one, large, 5, &count);
	SSL_get_error(&one, 1);
	/* nobody asks why: it is shown when the next call begins */
	next(-1, false);
	SSL_write(&one, large, 5);
	/* one call inside another one */
	next(3, false);
	SSL_write(&one, large, -1);
	/* for no bytes; no socket was ever used */
	next(0, false);
	SSL_write(&two, large, 0);
	/* its buffer cannot be read */
	next(8, false);
	SSL_read(&two, (void *)16, 8);

	next(0, false);
	gnutls_handshake(&two);
	next(7, false);
	gnutls_record_send(&two, "gnutls!", 7);
	next(-28, false);
	gnutls_record_recv(&two, large, sizeof(large));

	next(4, false);
	PR_Write(&secure, "nss!", 4);
	/* a file, or what is not encrypted */
	PR_Write(&plain, "no!!", 4);
	/* two pieces, of which the first is shown */
	next(12, false);
	PR_Writev(&secure, vectors, 2);
	next(-1, false);
	PR_Read(&secure, large, sizeof(large));
	next(-5998, false);
	PR_GetError();
	/* the last one has failed, and the thread ends */
	next(-1, false);
	SSL_read(&two, large, sizeof(large));
	return 0;
}
