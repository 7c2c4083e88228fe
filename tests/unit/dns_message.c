/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/print/dns_message: names, compression, and what is no message. */
#include "lib/print/dns_message.h"

#include <string.h>

#include "check.h"

#define HEADER "\0\1\x81\x83\0\1\0\2\0\0\0\0"
#define QUESTION "\3www\7example\0\0\1\0\1"
#define RECORD "\0\1\0\1\0\0\0\0\0\4"

/* The name of a message's question; "-": there is none. */
static const char *name_of(const char *bytes, size_t size)
{
	static struct dns_question question;

	return dns_message__question(bytes, size, &question) ? question.name : "-";
}
#define NAME(bytes) name_of(bytes, sizeof(bytes) - 1)

static void check_names(void)
{
	char longest[12 + 255 + 4 + 1] = HEADER;
	struct dns_question question;

	CHECK(!strcmp(NAME(HEADER QUESTION), "www.example"));
	CHECK(!strcmp(NAME(HEADER "\0\0\x1c\0\1"), "."));
	CHECK(!strcmp(NAME(HEADER "\7a.b\\\a\xff \0\0\1\0\1"), "a\\.b\\\\\\007\\255\\032"));
	/* pointers: at itself, at the label before it, forwards, at the header (there begins a label of 0 bytes) */
	CHECK(!strcmp(NAME(HEADER "\xc0\x0c\0\1\0\1"), "-"));
	CHECK(!strcmp(NAME(HEADER "\1a\xc0\x0c\0\1\0\1"), "-"));
	CHECK(!strcmp(NAME(HEADER "\xc0\x10\0\1\0\1\0"), "-"));
	CHECK(!strcmp(NAME(HEADER "\1a\xc0\0\0\1\0\1"), "a"));
	/* a label of another kind, a message that ends within it, in front of the class, and in the header */
	CHECK(!strcmp(NAME(HEADER "\x40" "a\0\0\1\0\1"), "-"));
	CHECK(!strcmp(NAME(HEADER "\5abc"), "-"));
	CHECK(!strcmp(NAME(HEADER "\1a\0\0\1\0"), "-"));
	CHECK(!strcmp(name_of(HEADER, 11), "-"));
	/* 255 bytes are a name, 256 are none */
	for (int i = 0; i < 4; i++) {
		memset(longest + 12 + i * 64, 1, 64);
		longest[12 + i * 64] = i < 3 ? 63 : 61;
	}
	longest[12 + 254] = 0;
	CHECK(dns_message__question(longest, sizeof(longest) - 1, &question) && question.name_size == (63 * 3 + 61) * 4 + 3);
	longest[12 + 192] = 62;
	longest[12 + 254] = 1;
	CHECK(!dns_message__question(longest, sizeof(longest) - 1, &question));
}

static void check_answers(void)
{
	static const char both[] = HEADER QUESTION "\xc0\x0c" RECORD "\xc0\0\2\1" "\xc0\x0c" RECORD "\xc0\0\2\2";
	static const char wrong[] = HEADER QUESTION "\xc0\x0c\0\1\0\1\0\0\0\0\0\3abc" "\xc0\x0c\0\x1c\0\1\0\0\0\0\0\4abcd";
	static const char loop[] = HEADER QUESTION "\xc0\x0c" RECORD "\xc0\0\2\1" "\xc0\x2c" RECORD "abcd";
	struct dns_answer answer;

	CHECK(dns_message__answer(both, sizeof(both) - 1, &answer));
	CHECK(answer.rcode == 3 && answer.addresses == 2 && answer.is_whole && !answer.is_truncated);
	CHECK(!memcmp(answer.first, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\0\2\1", 16));
	/* one byte less is one address less */
	CHECK(dns_message__answer(both, sizeof(both) - 2, &answer) && answer.addresses == 1 && !answer.is_whole);
	/* an address has its size */
	CHECK(dns_message__answer(wrong, sizeof(wrong) - 1, &answer) && !answer.addresses && answer.is_whole);
	CHECK(dns_message__answer(loop, sizeof(loop) - 1, &answer) && answer.addresses == 1 && !answer.is_whole);
	CHECK(!dns_message__answer(both, 11, &answer));
}

int main(void)
{
	char room[DNS_WORD_MAX];

	check_names();
	check_answers();
	CHECK(!strcmp(dns_message__type(28, room), "AAAA") && !strcmp(dns_message__type(65535, room), "TYPE65535"));
	CHECK(!strcmp(dns_message__rcode(3, room), "NXDOMAIN") && !strcmp(dns_message__rcode(15, room), "RCODE15"));
	return check_done();
}
