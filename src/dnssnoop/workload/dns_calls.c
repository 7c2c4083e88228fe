/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dns_calls [PORT]: asks name servers that it has itself, over UDP and TCP, and has them answer, late, wrongly or not at all.  Prints a
 * line for each query, as dnssnoop shows it:
 *
 *	PROTO IP RADDR RPORT TYPE RCODE COUNT ADDRESS NAME
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

struct text {
	unsigned char bytes[2000];
	size_t size;
};

static unsigned int port = 53;
static unsigned short last_id;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void add(struct text *text, const void *bytes, size_t size)
{
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
}

static void add_number(struct text *text, unsigned int number)
{
	unsigned char bytes[] = { (unsigned char)(number >> 8), (unsigned char)number };

	add(text, bytes, 2);
}

/* name: with its labels' sizes and the root's 0 byte. */
static struct text make_query(const void *name, size_t size, unsigned int type)
{
	struct text text = { .size = 0 };

	add_number(&text, ++last_id);
	add_number(&text, 0x0100);
	add_number(&text, 1);
	for (int i = 0; i < 3; i++)
		add_number(&text, 0);
	add(&text, name, size);
	add_number(&text, type);
	add_number(&text, 1);
	return text;
}
#define QUERY(name, type) make_query(name, sizeof(name), type)

static struct text make_answer(const struct text *query, unsigned int rcode, unsigned int answers)
{
	struct text text = *query;

	text.bytes[2] |= 0x80;
	text.bytes[3] = (unsigned char)(0x80 | rcode);
	text.bytes[7] = (unsigned char)answers;
	return text;
}

/* A record of the question's name. */
static void add_record(struct text *text, unsigned int type, const void *data, size_t size)
{
	add_number(text, 0xc00c);
	add_number(text, type);
	add_number(text, 1);
	add_number(text, 0);
	add_number(text, 300);
	add_number(text, (unsigned int)size);
	add(text, data, size);
}

static void add_address(struct text *text, const char *address)
{
	unsigned char bytes[16];
	bool is_v6 = strchr(address, ':');

	if (inet_pton(is_v6 ? AF_INET6 : AF_INET, address, bytes) != 1)
		die(address);
	add_record(text, is_v6 ? 28 : 1, bytes, is_v6 ? 16 : 4);
}

static struct sockaddr_in6 address_of(const char *text, unsigned int at)
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6, .sin6_port = htons((unsigned short)at) };

	if (inet_pton(AF_INET6, text, &address.sin6_addr) != 1)
		die(text);
	return address;
}

static void send_text(int fd, const struct text *text, int flags)
{
	if (send(fd, text->bytes, text->size, flags) != (ssize_t)text->size)
		die("send");
}

/* The server gets what was sent to it, and knows where it came from. */
static struct sockaddr_storage serve(int server)
{
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);
	char bytes[1500];

	if (recvfrom(server, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &size) < 0)
		die("recvfrom");
	return from;
}

static void answer(int server, const struct sockaddr_storage *to, const struct text *text)
{
	if (sendto(server, text->bytes, text->size, 0, (const struct sockaddr *)to, sizeof(struct sockaddr_in6)) != (ssize_t)text->size)
		die("sendto");
}

static void receive(int client)
{
	char bytes[1500];

	if (recv(client, bytes, sizeof(bytes), 0) < 0)
		die("recv");
}

static void ask(int client, int server, const struct text *query, const struct text *reply)
{
	struct sockaddr_storage from;

	send_text(client, query, 0);
	from = serve(server);
	answer(server, &from, reply);
	receive(client);
}

static void said(const char *rest)
{
	printf("udp 4 127.0.0.1 %u %s\n", port, rest);
}

static void ask_several(int client, int server)
{
	static const char name[] = "\3two\7example";
	struct text queries[] = { QUERY(name, 1), QUERY(name, 28) }, replies[2];
	struct mmsghdr messages[2] = { 0 };
	struct sockaddr_storage from;
	struct iovec parts[2];

	for (int i = 0; i < 2; i++) {
		parts[i] = (struct iovec){ queries[i].bytes, queries[i].size };
		messages[i].msg_hdr = (struct msghdr){ .msg_iov = &parts[i], .msg_iovlen = 1 };
		replies[i] = make_answer(&queries[i], 0, 1);
	}
	add_address(&replies[0], "192.0.2.2");
	add_address(&replies[1], "2001:db8::2");
	if (sendmmsg(client, messages, 2, 0) != 2)
		die("sendmmsg");
	from = serve(server);
	serve(server);
	answer(server, &from, &replies[1]);
	answer(server, &from, &replies[0]);
	receive(client);
	receive(client);
	said("A NOERROR 1 192.0.2.2 two.example");
	said("AAAA NOERROR 1 2001:db8::2 two.example");
}

/* A datagram in two parts. */
static void ask_in_parts(int client, int server)
{
	struct text query = QUERY("\5parts\7example", 1), reply = make_answer(&query, 0, 0);
	struct sockaddr_storage from;

	if (send(client, query.bytes, 20, MSG_MORE) != 20 ||
	    send(client, query.bytes + 20, query.size - 20, 0) != (ssize_t)query.size - 20)
		die("MSG_MORE");
	from = serve(server);
	answer(server, &from, &reply);
	receive(client);
	said("A NOERROR 0 - parts.example");
}

/* The first is lost, the same one is sent again. */
static void ask_again(int client, int server)
{
	struct text query = QUERY("\5again\7example", 1), reply = make_answer(&query, 0, 1);

	add_address(&reply, "192.0.2.3");
	send_text(client, &query, 0);
	serve(server);
	ask(client, server, &query, &reply);
	said("A resent - - again.example");
	said("A NOERROR 1 192.0.2.3 again.example");
}

/* Names that no program asks for, and what is no answer. */
static void ask_oddly(int client, int server)
{
	static const unsigned char odd[] = "\7a.b\\\a\xff \0", loop[] = { 1, 'a', 0xc0, 12, 0 };
	struct text query = make_query(odd, sizeof(odd) - 1, 65), reply = make_answer(&query, 3, 0), other;
	struct sockaddr_storage from;

	/* the answer to another query, and no answer at all, come first */
	send_text(client, &query, 0);
	from = serve(server);
	other = reply;
	other.bytes[0] ^= 0x40;
	answer(server, &from, &other);
	answer(server, &from, &query);
	answer(server, &from, &reply);
	for (int i = 0; i < 3; i++)
		receive(client);
	said("HTTPS NXDOMAIN 0 - a\\\\.b\\\\\\\\\\\\007\\\\255\\\\032");
	query = make_query(loop, 4, 1);
	reply = make_answer(&query, 5, 1);
	ask(client, server, &query, &reply);
	said("- REFUSED 0 - -");
	/* an answer that says more than it has, and one whose name points at itself */
	query = QUERY("\0", 4711);
	query.size--;
	query.bytes[query.size - 4] = 4711 >> 8;
	query.bytes[query.size - 3] = 4711 & 255;
	query.bytes[query.size - 2] = 0;
	query.bytes[query.size - 1] = 1;
	reply = make_answer(&query, 0, 9);
	add_address(&reply, "192.0.2.4");
	add_number(&reply, 0xc000 | (unsigned int)reply.size);
	ask(client, server, &query, &reply);
	said("TYPE4711 NOERROR 1 192.0.2.4 .");
}

/* ---- over TCP, where a message has its size in front */

static struct text stream(const struct text *text)
{
	struct text whole = { .size = 0 };

	add_number(&whole, (unsigned int)text->size);
	add(&whole, text->bytes, text->size);
	return whole;
}

static void send_part(int fd, const struct text *text, size_t from, size_t to)
{
	if (send(fd, text->bytes + from, to - from, 0) != (ssize_t)(to - from))
		die("send");
}

static void receive_exactly(int fd, size_t size, int flags)
{
	char bytes[2000];

	if (recv(fd, bytes, size, MSG_WAITALL | flags) != (ssize_t)size)
		die("recv");
}

/* The server of a connection gets the query, and answers. */
static void serve_stream(int server, const struct text *query, const struct text *reply)
{
	struct text whole = stream(reply);

	receive_exactly(server, query->size + 2, 0);
	send_part(server, &whole, 0, whole.size);
}

static void open_stream(const struct sockaddr_in6 *at, int ends[2])
{
	int listener = socket(AF_INET6, SOCK_STREAM, 0), one = 1;

	ends[0] = socket(AF_INET6, SOCK_STREAM, 0);
	if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(listener, (const struct sockaddr *)at, sizeof(*at)) || listen(listener, 1) ||
	    connect(ends[0], (const struct sockaddr *)at, sizeof(*at)) || setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		die("stream");
	ends[1] = accept(listener, NULL, NULL);
	if (ends[1] < 0 || setsockopt(ends[1], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		die("accept");
	close(listener);
}

static void close_stream(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

static void said_stream(const char *rest)
{
	printf("tcp 4 127.0.0.1 %u %s\n", port, rest);
}

/* A size apart from its message, a byte at a time; an answer in parts, and looked at before it is read. */
static void split_messages(const int ends[2])
{
	struct text query = QUERY("\5split\7example", 1), reply = make_answer(&query, 0, 1), whole = stream(&query);

	add_address(&reply, "192.0.2.11");
	send_part(ends[0], &whole, 0, 2);
	send_part(ends[0], &whole, 2, whole.size);
	receive_exactly(ends[1], whole.size, 0);
	whole = stream(&reply);
	send_part(ends[1], &whole, 0, 1);
	send_part(ends[1], &whole, 1, 20);
	send_part(ends[1], &whole, 20, whole.size);
	receive_exactly(ends[0], 2, MSG_PEEK);
	receive_exactly(ends[0], 2, 0);
	receive_exactly(ends[0], reply.size, 0);
	said_stream("A NOERROR 1 192.0.2.11 split.example");
	query = QUERY("\5bytes\7example", 28);
	whole = stream(&query);
	for (size_t i = 0; i < whole.size; i++)
		send_part(ends[0], &whole, i, i + 1);
	reply = make_answer(&query, 3, 0);
	serve_stream(ends[1], &query, &reply);
	for (size_t i = 0; i < reply.size + 2; i++)
		receive_exactly(ends[0], 1, 0);
	said_stream("AAAA NXDOMAIN 0 - bytes.example");
}

/* Several in one call, in four pieces and in one; their answers in another order, in one read, and in pieces of one. */
static void join_messages(const int ends[2])
{
	struct text queries[3] = { QUERY("\3one\7example", 1), QUERY("\3two\7example", 16), QUERY("\5three\7example", 33) };
	struct text all = { .size = 0 }, replies = { .size = 0 }, wholes[3];
	struct iovec pieces[4], to[2];
	char bytes[2000];

	for (int i = 2; i >= 0; i--) {
		struct text reply = make_answer(&queries[i], 0, 0);

		reply = stream(&reply);
		add(&replies, reply.bytes, reply.size);
		wholes[i] = stream(&queries[i]);
	}
	for (int i = 0; i < 2; i++) {
		pieces[2 * i] = (struct iovec){ wholes[i].bytes, 2 };
		pieces[2 * i + 1] = (struct iovec){ wholes[i].bytes + 2, wholes[i].size - 2 };
	}
	if (writev(ends[0], pieces, 4) != (ssize_t)(wholes[0].size + wholes[1].size))
		die("writev");
	send_part(ends[0], &wholes[2], 0, wholes[2].size);
	receive_exactly(ends[1], wholes[0].size + wholes[1].size + wholes[2].size, 0);
	send_part(ends[1], &replies, 0, replies.size);
	to[0] = (struct iovec){ bytes, 41 };
	to[1] = (struct iovec){ bytes + 41, sizeof(bytes) - 41 };
	if (readv(ends[0], to, 2) != (ssize_t)replies.size)
		die("readv");
	said_stream("A NOERROR 0 - one.example");
	said_stream("TXT NOERROR 0 - two.example");
	said_stream("SRV NOERROR 0 - three.example");
	for (int i = 0; i < 3; i++) {
		wholes[i].bytes[2] ^= 0x80;
		add(&all, wholes[i].bytes, wholes[i].size);
	}
	replies.size = 0;
	for (int i = 0; i < 3; i++) {
		struct text reply = make_answer(&queries[i], 2, 0), whole;

		reply.bytes[0] ^= 0x80;
		whole = stream(&reply);
		add(&replies, whole.bytes, whole.size);
	}
	send_part(ends[0], &all, 0, all.size);
	receive_exactly(ends[1], all.size, 0);
	send_part(ends[1], &replies, 0, replies.size);
	receive_exactly(ends[0], replies.size, 0);
	said_stream("A SERVFAIL 0 - one.example");
	said_stream("TXT SERVFAIL 0 - two.example");
	said_stream("SRV SERVFAIL 0 - three.example");
}

/* An answer that is larger than what is kept of it, read in parts; the next one is in step. */
static void send_large(const int ends[2])
{
	struct text query = QUERY("\5large\7example", 1), reply = make_answer(&query, 0, 80), whole = stream(&query);

	for (int i = 0; i < 80; i++)
		add_address(&reply, "192.0.2.12");
	send_part(ends[0], &whole, 0, whole.size);
	serve_stream(ends[1], &query, &reply);
	receive_exactly(ends[0], 500, 0);
	receive_exactly(ends[0], reply.size + 2 - 500, 0);
	said_stream("A NOERROR 75 192.0.2.12 large.example");
	query = QUERY("\4next\7example", 2);
	reply = make_answer(&query, 0, 0);
	whole = stream(&query);
	send_part(ends[0], &whole, 0, whole.size);
	serve_stream(ends[1], &query, &reply);
	receive_exactly(ends[0], reply.size + 2, 0);
	said_stream("NS NOERROR 0 - next.example");
}

/* What is no message, and what cannot be read because it comes out of a file: nothing that follows is shown. */
static void send_others(const struct sockaddr_in6 *at)
{
	struct text query = QUERY("\6before\7example", 1), whole = stream(&query);
	int file = open("/tmp/dns_calls.message", O_RDWR | O_CREAT | O_TRUNC, 0600), ends[2];
	off_t offset = 0;

	open_stream(at, ends);
	if (send(ends[0], "\0\5hello", 7, 0) != 7)
		die("send");
	send_part(ends[0], &whole, 0, whole.size);
	close_stream(ends);
	said_stream("- unparsed - - -");
	open_stream(at, ends);
	send_part(ends[0], &whole, 0, whole.size);
	said_stream("A timeout - - before.example");
	if (file < 0 || write(file, whole.bytes, whole.size) != (ssize_t)whole.size ||
	    sendfile(ends[0], file, &offset, whole.size) != (ssize_t)whole.size)
		die("sendfile");
	send_part(ends[0], &whole, 0, whole.size);
	close_stream(ends);
	close(file);
	unlink("/tmp/dns_calls.message");
	said_stream("- unparsed - - -");
}

/*
 * The first query goes with the connection's SYN, or would if the server took it; the second one is in step.  deferred: connect(2) has
 * waited for it (TCP_FASTOPEN_CONNECT).
 */
static void ask_fast(const struct sockaddr_in6 *at, const char *how, bool deferred, bool taken)
{
	struct text query = QUERY("\4fast\7example", 1), reply = make_answer(&query, 0, 1), whole = stream(&query);
	int listener = socket(AF_INET6, SOCK_STREAM, 0), client = socket(AF_INET6, SOCK_STREAM, 0), one = 1, server;
	struct msghdr message = { .msg_name = (void *)at, .msg_namelen = sizeof(*at) };
	struct iovec parts[2] = { { whole.bytes, 2 }, { whole.bytes + 2, whole.size - 2 } };
	struct tcp_info info;
	socklen_t size = sizeof(info);
	pid_t child;

	add_address(&reply, "192.0.2.13");
	message.msg_iov = parts;
	message.msg_iovlen = 2;
	if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) || bind(listener, (const struct sockaddr *)at, sizeof(*at)) ||
	    (taken && setsockopt(listener, IPPROTO_TCP, TCP_FASTOPEN, &one, sizeof(one))) || listen(listener, 1))
		die("listener");
	fflush(stdout);
	child = fork();
	if (!child) {
		prctl(PR_SET_NAME, "dns_server");
		close(client);
		server = accept(listener, NULL, NULL);
		if (server < 0)
			die("accept");
		/* the client reads before there is an answer */
		usleep(20000);
		serve_stream(server, &query, &reply);
		reply = make_answer(&query, 3, 0);
		reply.bytes[1]++;
		serve_stream(server, &query, &reply);
		recv(server, whole.bytes, 1, 0);
		exit(0);
	}
	if (deferred && (setsockopt(client, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &one, sizeof(one)) ||
			 connect(client, (const struct sockaddr *)at, sizeof(*at))))
		die("TCP_FASTOPEN_CONNECT");
	if (deferred ? writev(client, parts, 2) != (ssize_t)whole.size : sendmsg(client, &message, MSG_FASTOPEN) != (ssize_t)whole.size)
		die("Fast Open");
	receive_exactly(client, make_answer(&query, 0, 1).size + 16 + 2, 0);
	if (getsockopt(client, IPPROTO_TCP, TCP_INFO, &info, &size) || !!(info.tcpi_options & TCPI_OPT_SYN_DATA) != taken)
		die("Fast Open: the query was not in the SYN, or was");
	printf("%s A NOERROR 1 192.0.2.13 fast.example\n", how);
	whole.bytes[3]++;
	last_id++;
	send_part(client, &whole, 0, whole.size);
	receive_exactly(client, query.size + 2, 0);
	printf("%s A NXDOMAIN 0 - fast.example\n", how);
	close(client);
	close(listener);
	if (waitpid(child, NULL, 0) != child)
		die("waitpid");
}

/* Neither side asks for a cookie (TFO_CLIENT_NO_COOKIE, TFO_SERVER_COOKIE_NOT_REQD). */
static void ask_all_fast(const struct sockaddr_in6 *at4, const struct sockaddr_in6 *at6)
{
	int fd = open("/proc/sys/net/ipv4/tcp_fastopen", O_RDWR);
	char how4[60], how6[60], before[20] = "";

	snprintf(how4, sizeof(how4), "tcp 4 127.0.0.1 %u", port);
	snprintf(how6, sizeof(how6), "tcp 6 ::1 %u", port);
	if (fd < 0 || read(fd, before, sizeof(before) - 1) <= 0 || pwrite(fd, "519", 3, 0) != 3)
		die("tcp_fastopen");
	ask_fast(at4, how4, false, true);
	ask_fast(at6, how6, true, true);
	ask_fast(at6, how6, false, false);
	if (pwrite(fd, before, strlen(before), 0) < 0)
		die("tcp_fastopen");
	close(fd);
}

static void ask_streams(const struct sockaddr_in6 *at4, const struct sockaddr_in6 *at6)
{
	struct text query, reply, whole;
	char bytes[2000];
	int ends[2];

	open_stream(at4, ends);
	split_messages(ends);
	join_messages(ends);
	send_large(ends);
	query = QUERY("\6silent\7example", 1);
	whole = stream(&query);
	send_part(ends[0], &whole, 0, whole.size);
	said_stream("A timeout - - silent.example");
	close_stream(ends);
	send_others(at4);
	/* a server that ends the connection: the end is read with the answer */
	open_stream(at6, ends);
	query = QUERY("\3end\7example", 28);
	reply = make_answer(&query, 0, 1);
	add_address(&reply, "2001:db8::8");
	whole = stream(&query);
	send_part(ends[0], &whole, 0, whole.size);
	serve_stream(ends[1], &query, &reply);
	close(ends[1]);
	if (recv(ends[0], bytes, sizeof(bytes), MSG_WAITALL) != (ssize_t)reply.size + 2)
		die("recv");
	close(ends[0]);
	printf("tcp 6 ::1 %u AAAA NOERROR 1 2001:db8::8 end.example\n", port);
}

int main(int argc, char **argv)
{
	struct text query = QUERY("\3www\7example\3com", 1), reply = make_answer(&query, 0, 3);
	int v4 = socket(AF_INET6, SOCK_DGRAM, 0), v6 = socket(AF_INET6, SOCK_DGRAM, 0);
	int server4 = socket(AF_INET6, SOCK_DGRAM, 0), server6 = socket(AF_INET6, SOCK_DGRAM, 0), plain = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in6 at4, at6;
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_storage from;

	if (argc > 1)
		port = (unsigned int)atoi(argv[1]);
	at4 = address_of("::ffff:127.0.0.1", port);
	at6 = address_of("::1", port);
	to.sin_port = htons((unsigned short)port);
	prctl(PR_SET_NAME, "dns_client");
	if (bind(server4, (struct sockaddr *)&at4, sizeof(at4)) || bind(server6, (struct sockaddr *)&at6, sizeof(at6)) ||
	    connect(v4, (struct sockaddr *)&at4, sizeof(at4)) || connect(v6, (struct sockaddr *)&at6, sizeof(at6)))
		die("sockets");
	/* of a socket that is not connected, an answer after 30 ms */
	add_record(&reply, 5, "\1a\xc0\x10", 4);
	add_address(&reply, "192.0.2.1");
	add_address(&reply, "192.0.2.9");
	if (sendto(plain, query.bytes, query.size, 0, (struct sockaddr *)&to, sizeof(to)) != (ssize_t)query.size)
		die("sendto");
	from = serve(server4);
	usleep(30000);
	answer(server4, &from, &reply);
	receive(plain);
	said("A NOERROR 2 192.0.2.1 www.example.com");
	ask_several(v4, server4);
	ask_in_parts(v4, server4);
	ask_again(v4, server4);
	ask_oddly(v4, server4);
	query = QUERY("\3six\7example", 28);
	reply = make_answer(&query, 0, 1);
	add_address(&reply, "2001:db8::7");
	ask(v6, server6, &query, &reply);
	printf("udp 6 ::1 %u AAAA NOERROR 1 2001:db8::7 six.example\n", port);
	query = QUERY("\4fail\7example", 15);
	reply = make_answer(&query, 2, 0);
	ask(v6, server6, &query, &reply);
	printf("udp 6 ::1 %u MX SERVFAIL 0 - fail.example\n", port);
	ask_streams(&at4, &at6);
	ask_all_fast(&at4, &at6);
	query = QUERY("\4lost\7example", 1);
	send_text(v4, &query, 0);
	said("A timeout - - lost.example");
	fflush(stdout);
	/* longer than two looks of the tool */
	usleep(3500000);
	query = QUERY("\4last\7example", 12);
	send_text(v4, &query, 0);
	said("PTR pending - - last.example");
	return 0;
}
