/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: lib/print/dns_message on any bytes. */
#include "lib/print/dns_message.h"

#include "fuzz.h"

/* Not empty, and within its room. */
static void require_word(const char *word)
{
	REQUIRE(*word && strlen(word) < DNS_WORD_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dns_question question;
	struct dns_answer answer;
	char room[DNS_WORD_MAX];

	if (dns_message__question(data, size, &question)) {
		REQUIRE(question.name_size && question.name_size < DNS_NAME_MAX && strlen(question.name) == question.name_size);
		for (size_t i = 0; i < question.name_size; i++)
			REQUIRE(question.name[i] > ' ' && question.name[i] < 0x7f);
		require_word(dns_message__type(question.type, room));
	}
	REQUIRE(dns_message__answer(data, size, &answer) == (size >= 12));
	if (size >= 12) {
		/* a record has eleven bytes at least */
		REQUIRE(answer.rcode < 16 && answer.addresses <= size / 11);
		require_word(dns_message__rcode(answer.rcode, room));
	}
	return 0;
}
