/* SPDX-License-Identifier: BSD-2-Clause */
/* What attach.h tells of probes: as a line, as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "lib/print/json.h"

static const char *kind(const struct attach_probe *probe)
{
	if (probe->mode == ATTACH_FENTRY)
		return probe->is_return ? "fexit" : "fentry";
	return probe->is_return ? "kretprobe" : "kprobe";
}

void attach_probe__describe(const struct attach_probe *probe, char *line, size_t size)
{
	snprintf(line, size, "%s: %s on %s, mode %s%s%s%s", probe->program, kind(probe), probe->function,
		 attach_mode__name(probe->mode), *probe->why ? " (" : "", probe->why, *probe->why ? ")" : "");
}

char *attach__json(const struct attach *attach)
{
	size_t size = 32;
	char *text, *at;

	for (size_t i = 0; i < attach->probes_count; i++) {
		const struct attach_probe *probe = &attach->probes[i];

		size += 128 + 6 * (strlen(probe->program) + strlen(probe->function) + strlen(probe->why));
	}
	text = malloc(size);
	if (!text)
		return NULL;
	at = stpcpy(text, ",\"probes\":[");
	for (size_t i = 0; i < attach->probes_count; i++) {
		const struct attach_probe *probe = &attach->probes[i];

		at = stpcpy(at, i ? ",{\"program\":" : "{\"program\":");
		at = json__quote(at, probe->program, strlen(probe->program));
		at += sprintf(at, ",\"kind\":\"%s\",\"function\":", kind(probe));
		at = json__quote(at, probe->function, strlen(probe->function));
		at += sprintf(at, ",\"mode\":\"%s\",\"why\":", attach_mode__name(probe->mode));
		at = *probe->why ? json__quote(at, probe->why, strlen(probe->why)) : stpcpy(at, "null");
		*at++ = '}';
	}
	strcpy(at, "]");
	return text;
}
