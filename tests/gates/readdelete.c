/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table__cut() as it must not be: it reads the table that the programs are using, and then deletes the keys.  What is added in
 * between is lost; the pause makes sure that there is something.
 */
#include <poll.h>

#include <bpf/bpf.h>

#include "lib/run/table.h"

#define PAUSE_MS 2

int __wrap_table__cut(struct table *table, bool is_over);

int __wrap_table__cut(struct table *table, bool is_over)
{
	int fd = table->fds[table->current];
	char *key, *value;

	table->count = 0;
	for (;;) {
		key = table->keys + table->count * table->key_size;
		value = table->values + table->count * table->value_size;
		if (table->count == table->keys_max || bpf_map_get_next_key(fd, NULL, key) || bpf_map_lookup_elem(fd, key, value))
			return 0;
		poll(NULL, 0, PAUSE_MS);
		bpf_map_delete_elem(fd, key);
		table->count++;
		/* as it is in use, new keys come all the time */
		if (table->count >= 64)
			return 0;
	}
}
