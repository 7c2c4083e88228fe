/* SPDX-License-Identifier: BSD-2-Clause */
#include "return_number.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instance.h"
#include "lib/kernel/cache.h"
#include "lib/kernel/ktext.h"
#include "lib/kernel/names.h"
#include "lib/kernel/switches.h"

/* Before the kernel's first user all of it is 0, and number 0 is the first one. */
static bool is_untouched(const struct return_numbers *numbers)
{
	for (int i = 0; i < RETURN_NUMBERS; i++)
		if (numbers->turn[i] || numbers->users[i])
			return false;
	return !numbers->next;
}

/* From next on there are free numbers, no number twice, and then none up to next again. */
static bool is_turn(const struct return_numbers *numbers)
{
	unsigned int seen = 0;
	bool ended = false;

	if (numbers->next < 0 || numbers->next >= RETURN_NUMBERS)
		return false;
	for (int i = 0; i < RETURN_NUMBERS; i++) {
		int32_t number = numbers->turn[(numbers->next + i) % RETURN_NUMBERS];

		if (number == -1) {
			ended = true;
			continue;
		}
		if (ended || number < 0 || number >= RETURN_NUMBERS || seen & 1u << number)
			return false;
		seen |= 1u << number;
	}
	return true;
}

static bool is_free(const struct return_numbers *numbers, int32_t number)
{
	for (int i = 0; i < RETURN_NUMBERS; i++)
		if (numbers->turn[i] == number)
			return true;
	return false;
}

/*
 * All free numbers have the same user, the stub.  A number that was just taken has it, too: register_ftrace_graph() writes the user last.
 */
static bool are_users(const struct return_numbers *numbers)
{
	uint64_t stub = 0;

	for (int i = 0; i < RETURN_NUMBERS; i++) {
		if (!numbers->users[i])
			return false;
		if (!is_free(numbers, i))
			continue;
		if (numbers->users[i] == numbers->links || (stub && numbers->users[i] != stub))
			return false;
		stub = numbers->users[i];
	}
	return true;
}

enum return_number return_number__decide(const struct return_numbers *numbers)
{
	if (!numbers->links)
		return RETURN_NUMBER_UNKNOWN;
	if (is_untouched(numbers))
		return RETURN_NUMBER_NEXT_0;
	if (!is_turn(numbers) || !are_users(numbers))
		return RETURN_NUMBER_UNKNOWN;
	for (int i = 0; i < RETURN_NUMBERS; i++)
		if (numbers->users[i] == numbers->links)
			return i ? RETURN_NUMBER_OTHER : RETURN_NUMBER_SHARED_0;
	switch (numbers->turn[numbers->next]) {
	case -1:
		return RETURN_NUMBER_UNKNOWN;
	case 0:
		return RETURN_NUMBER_NEXT_0;
	default:
		return RETURN_NUMBER_OTHER;
	}
}

/* A function by its number in available_filter_functions: by name the kernel compares all names, 99 M instructions (7.2). */
#define FIRST_FUNCTION "1\n"

#define FAILED "function_graph cannot be started in an instance of tracefs"

/* Where the variables are. */
struct places {
	uint64_t next, turn, users, links;
	uint64_t entries;	/* fprobe_ftrace_entry(), which links at entries use instead; 0: the kernel does not have it, or hides it */
};

static void ask_places(struct places *places)
{
	struct names names;

	names__open(&names, false);
	places->entries = names__ask_address(&names, "fprobe_ftrace_entry");
	places->next = names__ask_address(&names, "fgraph_lru_next");
	/* a kernel without one of them may have none */
	if (places->next)
		places->turn = names__ask_address(&names, "fgraph_lru_table");
	if (places->turn)
		places->users = names__ask_address(&names, "fgraph_array");
	if (places->users)
		places->links = names__ask_address(&names, "fprobe_graph_ops");
	names__close(&names);
}

/*
 * Finds them once a boot, which takes 0.9 M instructions, and keeps them: they do not move, and the cache ends with the boot.  0 or
 * -ENOENT.
 */
static int find_places(struct places *places)
{
	static const char what[] = "return_number";
	struct cache_key key = { .hash = cache__hash(CACHE_HASH_START, what, sizeof(what)) };
	int no_key = cache__build_id(&key, "/sys/kernel/notes");
	void *kept = NULL;
	size_t size;

	*places = (struct places){ 0 };
	if (!no_key && !cache__read(CACHE_FOLDER, &key, &kept, &size)) {
		if (size == sizeof(*places))
			memcpy(places, kept, size);
		free(kept);
	}
	if (places->links)
		return 0;
	*places = (struct places){ 0 };
	ask_places(places);
	if (places->links && !no_key)
		cache__write(CACHE_FOLDER, &key, places, sizeof(*places));
	return places->links ? 0 : -ENOENT;
}

/* 0 or -errno. */
static int read_all(int kcore, const struct places *places, struct return_numbers *numbers)
{
	int err = ktext__read(kcore, places->next, &numbers->next, sizeof(numbers->next));

	if (!err)
		err = ktext__read(kcore, places->turn, numbers->turn, sizeof(numbers->turn));
	if (!err)
		err = ktext__read(kcore, places->users, numbers->users, sizeof(numbers->users));
	numbers->links = places->links;
	return err;
}

enum return_number return_number__look(bool at_returns)
{
	struct return_numbers numbers;
	static struct places places;
	int err = places.links ? 0 : find_places(&places), kcore;

	if (!at_returns && places.entries)
		return RETURN_NUMBER_OTHER;
	kcore = err ? err : ktext__open();
	if (kcore < 0)
		return RETURN_NUMBER_UNKNOWN;
	err = read_all(kcore, &places, &numbers);
	close(kcore);
	return err ? RETURN_NUMBER_UNKNOWN : return_number__decide(&numbers);
}

/* 0, or -errno with a line in fault. */
static int start(const struct instance *instance, struct fault *fault)
{
	int err = instance__write(instance, "tracing_on", "0\n");

	if (!err)
		err = instance__write(instance, "set_ftrace_filter", FIRST_FUNCTION);
	if (err)
		return switches__explain(fault, err, FAILED);
	return instance__start_tracer(instance, "function_graph", FAILED, fault);
}

int return_number__use_up(struct fault *fault)
{
	struct instance instance;
	int err = instance__make(&instance, 0);

	if (err)
		return switches__explain(fault, err, FAILED);
	err = start(&instance, fault);
	instance__remove(&instance);
	if (err)
		return err;
	if (return_number__look(true) != RETURN_NUMBER_OTHER)
		err = switches__explain(fault, -EAGAIN, "function_graph was started, and the next number is not another one");
	return err;
}
