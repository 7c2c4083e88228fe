/* SPDX-License-Identifier: BSD-2-Clause */
/* return_number: what a link gets, by numbers as the kernel has them, and by what does not look like them. */
#include "check.h"
#include "lib/ftrace/return_number.h"

#define STUB 0xffffffff83388c80
#define LINKS 0xffffffff83390660
#define TRACER 0xffff888003a51000

/* Number first is the next one, all others come after it, and none is taken. */
static struct return_numbers all_free(int32_t first)
{
	struct return_numbers numbers = { .next = first, .links = LINKS };

	for (int i = 0; i < RETURN_NUMBERS; i++) {
		numbers.turn[i] = i;
		numbers.users[i] = STUB;
	}
	return numbers;
}

/* As the kernel does. */
static int32_t take(struct return_numbers *numbers, uint64_t user)
{
	int32_t number = numbers->turn[numbers->next];

	numbers->turn[numbers->next] = -1;
	numbers->next = (numbers->next + 1) % RETURN_NUMBERS;
	numbers->users[number] = user;
	return number;
}

static void test_turn(void)
{
	struct return_numbers numbers = { .links = LINKS };

	/* nobody has ever had one */
	CHECK_INT(return_number__decide(&numbers), RETURN_NUMBER_NEXT_0);
	for (int32_t first = 0; first < RETURN_NUMBERS; first++) {
		numbers = all_free(first);
		CHECK_INT(return_number__decide(&numbers), first ? RETURN_NUMBER_OTHER : RETURN_NUMBER_NEXT_0);
	}
	/* function_graph has 15, and 0 is the next; then it has 0; then links have 1 */
	numbers = all_free(15);
	CHECK_INT(take(&numbers, TRACER), 15);
	CHECK_INT(return_number__decide(&numbers), RETURN_NUMBER_NEXT_0);
	CHECK_INT(take(&numbers, TRACER), 0);
	CHECK_INT(return_number__decide(&numbers), RETURN_NUMBER_OTHER);
	CHECK_INT(take(&numbers, LINKS), 1);
	CHECK_INT(return_number__decide(&numbers), RETURN_NUMBER_OTHER);
	/* links have 0, which one more would share, whatever is the next */
	numbers = all_free(0);
	take(&numbers, LINKS);
	CHECK_INT(return_number__decide(&numbers), RETURN_NUMBER_SHARED_0);
	take(&numbers, TRACER);
	CHECK_INT(return_number__decide(&numbers), RETURN_NUMBER_SHARED_0);
	/* links have another one, and the next is 0, which they leave alone */
	numbers = all_free(15);
	take(&numbers, LINKS);
	CHECK_INT(return_number__decide(&numbers), RETURN_NUMBER_OTHER);
	/* one was taken, and its user has no hooks yet */
	numbers = all_free(3);
	take(&numbers, STUB);
	CHECK_INT(return_number__decide(&numbers), RETURN_NUMBER_OTHER);
	/* all are taken */
	numbers = all_free(0);
	for (int i = 0; i < RETURN_NUMBERS; i++)
		take(&numbers, TRACER);
	CHECK_INT(return_number__decide(&numbers), RETURN_NUMBER_UNKNOWN);
	/* a number that was given back is the last one: 5, 6 … 15, 0 … 3, 4, none free between */
	numbers = all_free(5);
	take(&numbers, TRACER);
	take(&numbers, LINKS);
	numbers.turn[5] = 6;
	numbers.users[6] = STUB;
	CHECK_INT(return_number__decide(&numbers), RETURN_NUMBER_OTHER);
}

static void check_unknown(struct return_numbers numbers)
{
	CHECK_INT(return_number__decide(&numbers), RETURN_NUMBER_UNKNOWN);
}

static void test_other_layouts(void)
{
	struct return_numbers numbers;

	check_unknown((struct return_numbers){ .links = 0 });
	check_unknown((struct return_numbers){ .next = 1, .links = LINKS });
	check_unknown((struct return_numbers){ .turn = { 0, 1 }, .links = LINKS });
	check_unknown((struct return_numbers){ .users = { STUB }, .links = LINKS });
	numbers = all_free(3);
	numbers.links = 0;
	check_unknown(numbers);
	numbers = all_free(3);
	numbers.next = -1;
	check_unknown(numbers);
	numbers.next = RETURN_NUMBERS;
	check_unknown(numbers);
	/* a number twice, one that is none, one after the end of the free ones */
	numbers = all_free(3);
	numbers.turn[7] = 9;
	check_unknown(numbers);
	numbers.turn[7] = RETURN_NUMBERS;
	check_unknown(numbers);
	numbers.turn[7] = -2;
	check_unknown(numbers);
	numbers.turn[7] = -1;
	check_unknown(numbers);
	/* a free number has a user: another one than the other free ones, none, links */
	numbers = all_free(3);
	numbers.users[0] = TRACER;
	check_unknown(numbers);
	numbers.users[0] = 0;
	check_unknown(numbers);
	numbers.users[0] = LINKS;
	check_unknown(numbers);
	/* so has one that is taken */
	numbers = all_free(3);
	take(&numbers, 0);
	check_unknown(numbers);
}

int main(void)
{
	test_turn();
	test_other_layouts();
	return check_done();
}
