/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dns_calls [PORT]: asks name servers that it has itself, and has them answer, late, wrongly or not at all.  Prints a line for each query,
 * as dnssnoop shows it:
 *
 *	PROTO IP RADDR RPORT TYPE RCODE COUNT ADDRESS NAME
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

struct text {
	unsigned char bytes[1500];
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
