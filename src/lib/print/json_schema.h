/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an engine must know of a tool's JSON: the keys of its lines and their types.  The types are those of docs/json.md, which the build
 * turns into a table (packaging/json-types), so that the page and the schema cannot differ.
 */
#ifndef PROBELIGHT_JSON_SCHEMA_H
#define PROBELIGHT_JSON_SCHEMA_H

#include <stdbool.h>
#include <stdio.h>

#include "out.h"

#define JSON_SCHEMA_KINDS "clickhouse or json-schema"

struct json_schema {
	const char *tool;
	const struct out_column *columns;	/* of its lines */
	const char *const *more;		/* keys besides those of columns, ended by NULL */
	bool has_others;			/* a line may stand for others: any column may be null */
};

/* Whether there is such a kind of schema: "clickhouse" or "json-schema". */
bool json_schema__has(const char *kind);

/* Prints it: a statement that creates a table of the tool's name, or a JSON Schema (2020-12) of a line. */
void json_schema__print(FILE *to, const char *kind, const struct json_schema *schema);

#endif
