/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns_message.h"

#include <stdio.h>
#include <string.h>

#define HEADER_SIZE 12
#define FLAG_TRUNCATED 0x0200
#define TYPE_A 1
#define TYPE_AAAA 28

struct message {
	const uint8_t *bytes;
	size_t size;
};

/* The number at an offset, which must be there. */
static unsigned int number_at(const struct message *message, size_t at)
{
	return (unsigned int)message->bytes[at] << 8 | message->bytes[at + 1];
}

static bool has(const struct message *message, size_t at, size_t bytes)
{
	return at <= message->size && bytes <= message->size - at;
}

/* Writes a label; room for four bytes for each of it.  Returns its end. */
static char *put_label(char *to, const uint8_t *label, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (label[i] == '.' || label[i] == '\\') {
			*to++ = '\\';
			*to++ = (char)label[i];
		} else if (label[i] > ' ' && label[i] < 0x7f) {
			*to++ = (char)label[i];
		} else {
			*to++ = '\\';
			*to++ = (char)('0' + label[i] / 100);
			*to++ = (char)('0' + label[i] / 10 % 10);
			*to++ = (char)('0' + label[i] % 10);
		}
	}
	return to;
}

/*
 * Writes the name at an offset, and returns its size; *end is what follows the name there.  0: it is not valid.  A pointer leads below
 * all that was read of the name so far, so that there are fewer than the message has bytes.
 */
static size_t read_name(const struct message *message, size_t at, size_t *end, char name[DNS_NAME_MAX])
{
	size_t begin = at, used = 1;	/* the root's label */
	bool has_jumped = false;
	char *to = name;

	while (has(message, at, 1)) {
		unsigned int size = message->bytes[at];

		if (!size) {
			if (!has_jumped)
				*end = at + 1;
			if (to == name)
				*to++ = '.';
			*to = 0;
			return (size_t)(to - name);
		}
		if ((size & 0xc0) == 0xc0) {
			size_t next;

			if (!has(message, at, 2))
				return 0;
			next = number_at(message, at) & 0x3fff;
			if (next >= begin)
				return 0;
			if (!has_jumped)
				*end = at + 2;
			has_jumped = true;
			begin = at = next;
			continue;
		}
		used += size + 1;
		if (size > 63 || used > 255 || !has(message, at + 1, size))
			return 0;
		if (to != name)
			*to++ = '.';
		to = put_label(to, message->bytes + at + 1, size);
		at += size + 1;
	}
	return 0;
}

bool dns_message__question(const void *bytes, size_t size, struct dns_question *question)
{
	const struct message message = { bytes, size };
	size_t end;

	if (!has(&message, 0, HEADER_SIZE) || !number_at(&message, 4))
		return false;
	question->name_size = read_name(&message, HEADER_SIZE, &end, question->name);
	if (!question->name_size || !has(&message, end, 4))
		return false;
	question->type = (uint16_t)number_at(&message, end);
	return true;
}

/* Adds a record's address, if it has one. */
static void add_address(struct dns_answer *answer, unsigned int type, const uint8_t *data, size_t size)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if ((type != TYPE_A || size != 4) && (type != TYPE_AAAA || size != 16))
		return;
	if (!answer->addresses++) {
		memcpy(answer->first, mapped, sizeof(mapped));
		memcpy(answer->first + 16 - size, data, size);
	}
}

bool dns_message__answer(const void *bytes, size_t size, struct dns_answer *answer)
{
	const struct message message = { bytes, size };
	unsigned int questions, records;
	size_t at = HEADER_SIZE;
	char name[DNS_NAME_MAX];

	*answer = (struct dns_answer){ 0 };
	if (!has(&message, 0, HEADER_SIZE))
		return false;
	answer->rcode = number_at(&message, 2) & 0xf;
	answer->is_truncated = number_at(&message, 2) & FLAG_TRUNCATED;
	questions = number_at(&message, 4);
	records = number_at(&message, 6);
	for (; questions; questions--) {
		if (!read_name(&message, at, &at, name) || !has(&message, at, 4))
			return true;
		at += 4;
	}
	for (; records; records--) {
		size_t data_size;

		if (!read_name(&message, at, &at, name) || !has(&message, at, 10))
			return true;
		data_size = number_at(&message, at + 8);
		if (!has(&message, at + 10, data_size))
			return true;
		add_address(answer, number_at(&message, at), message.bytes + at + 10, data_size);
		at += 10 + data_size;
	}
	answer->is_whole = true;
	return true;
}

const char *dns_message__type(unsigned int type, char room[DNS_WORD_MAX])
{
	static const struct {
		unsigned int type;
		const char *name;
	} types[] = {
		{ 1, "A" }, { 2, "NS" }, { 5, "CNAME" }, { 6, "SOA" }, { 12, "PTR" }, { 13, "HINFO" }, { 15, "MX" }, { 16, "TXT" },
		{ 28, "AAAA" }, { 29, "LOC" }, { 33, "SRV" }, { 35, "NAPTR" }, { 39, "DNAME" }, { 43, "DS" }, { 44, "SSHFP" },
		{ 46, "RRSIG" }, { 47, "NSEC" }, { 48, "DNSKEY" }, { 50, "NSEC3" }, { 52, "TLSA" }, { 61, "OPENPGPKEY" },
		{ 64, "SVCB" }, { 65, "HTTPS" }, { 99, "SPF" }, { 250, "TSIG" }, { 251, "IXFR" }, { 252, "AXFR" }, { 255, "ANY" },
		{ 256, "URI" }, { 257, "CAA" },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (types[i].type == type)
			return types[i].name;
	snprintf(room, DNS_WORD_MAX, "TYPE%u", type & 0xffff);
	return room;
}

const char *dns_message__rcode(unsigned int rcode, char room[DNS_WORD_MAX])
{
	static const char *const names[] = {
		"NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "YXDOMAIN", "YXRRSET", "NXRRSET", "NOTAUTH", "NOTZONE",
	};

	if (rcode < sizeof(names) / sizeof(*names))
		return names[rcode];
	snprintf(room, DNS_WORD_MAX, "RCODE%u", rcode & 0xffff);
	return room;
}
