/* SPDX-License-Identifier: BSD-2-Clause */
#include "tracer_records.h"

#include <ctype.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/kernel/tracefs.h"
#include "tracer.h"

#define BUFFER_KB 256

static int lacks(const char *tracer, struct fault *fault)
{
	char option[32];
	size_t length = strnlen(tracer, sizeof(option) - 1);

	if (tracer__exists(NULL, tracer))
		return fault__set(fault, -EOPNOTSUPP, "this kernel does not have the tracer %s in instances (since Linux 5.17)", tracer);
	for (size_t i = 0; i < length; i++)
		option[i] = (char)toupper((unsigned char)tracer[i]);
	return fault__set(fault, -EOPNOTSUPP, "this kernel does not have the tracer %s (it was built without CONFIG_%.*s_TRACER)", tracer,
			  (int)length, option);
}

int tracer_records__open(struct tracer_records *records, const char *tracer, const struct record_field *fields,
			 const char *const users[], struct fault *fault)
{
	int err;

	*records = (struct tracer_records){ .type = 0 };
	err = instance__make(&records->instance, BUFFER_KB);
	/* no tracefs, or it is mounted for reading alone */
	if (err == -ENOENT || err == -EROFS)
		return fault__set(fault, err, "%s", tracefs__why(err));
	if (!err)
		err = instance__set_clock(&records->instance);
	if (err)
		return fault__set(fault, err, "an instance in tracefs cannot be made: %s", strerror(-err));
	if (!tracer__exists(&records->instance, tracer))
		return lacks(tracer, fault);
	err = record_fields__find(tracer, fields, &records->type, &records->size_min);
	if (err)
		return fault__set(fault, err, "the records of %s cannot be understood: %s", tracer, strerror(-err));
	err = tracer__start(&records->instance, tracer, false, users, fault);
	if (err)
		return err;
	/* not before: while they are open the kernel lets nobody change the tracer (EBUSY) */
	err = stream__open(&records->stream, records->instance.path);
	intact__begin(&records->intact, &records->instance, &records->stream);
	if (!err)
		err = intact__add(&records->intact, "current_tracer") ?: intact__add_text(&records->intact, "tracing_on", "1\n");
	return err ? fault__set(fault, err, "the ring buffers in tracefs cannot be opened: %s", strerror(-err)) : 0;
}

static bool is_own(const struct tracer_records *records, const struct stream_record *record)
{
	return record->record.type == records->type && record->record.size >= records->size_min;
}

int tracer_records__next_of_any(struct tracer_records *records, uint64_t until_ns, struct stream_record *record)
{
	int more;

	while ((more = stream__next_of_any(&records->stream, until_ns, record)) > 0 && !is_own(records, record))
		;
	return more;
}

int tracer_records__next(struct tracer_records *records, struct stream_record *record)
{
	int more;

	while ((more = stream__next(&records->stream, record)) > 0 && !is_own(records, record))
		;
	return more;
}

int tracer_records__end(struct tracer_records *records)
{
	int err;

	intact__finish(&records->intact);
	err = instance__write(&records->instance, "tracing_on", "0\n");

	/* a record that another CPU was writing is finished after this (synchronize_rcu(); not on kernels booted with nohz_full) */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	stream__end(&records->stream);
	return err;
}

int tracer_records__lost(const struct tracer_records *records, uint64_t *lost)
{
	struct stream_stats stats;
	int err = stream__stats(&records->stream, &stats);

	if (!err)
		*lost = stats.overrun + stats.refused;
	return err;
}

int tracer_records__close(struct tracer_records *records)
{
	stream__close(&records->stream);
	intact__end(&records->intact);
	return instance__remove(&records->instance);
}

int tracer_records__setting(const char *file, uint64_t *number)
{
	char *text;
	size_t size;
	int err = tracefs__read(file, 64, &text, &size);

	if (err)
		return err;
	*number = strtoull(text, NULL, 10);
	free(text);
	return 0;
}
