/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_schema.h"

#include <stdlib.h>
#include <string.h>

enum json_type { JSON_ARRAY, JSON_BOOLEAN, JSON_NUMBER, JSON_OBJECT, JSON_STRING };

struct key {
	const char *name;
	enum json_type type;
	bool may_be_null;
};

static const struct key keys[] = {
#include <json_types.h>
};

static const char *const json_names[] = {
	[JSON_ARRAY] = "array", [JSON_BOOLEAN] = "boolean", [JSON_NUMBER] = "number", [JSON_OBJECT] = "object", [JSON_STRING] = "string",
};

bool json_schema__has(const char *kind)
{
	return !strcmp(kind, "clickhouse") || !strcmp(kind, "json-schema");
}

static int compare(const void *name, const void *key)
{
	return strcmp(name, ((const struct key *)key)->name);
}

static bool ends_with(const char *name, const char *end)
{
	return strlen(name) > strlen(end) && !strcmp(name + strlen(name) - strlen(end), end);
}

/* The page has all but those that say how much of another one is missing (tests/host/json-keys). */
static struct key key_of(const char *name, bool has_others)
{
	const struct key *found = bsearch(name, keys, sizeof(keys) / sizeof(*keys), sizeof(*keys), compare);
	struct key key = found ? *found : (struct key){ NULL, ends_with(name, "_more") ? JSON_NUMBER : JSON_STRING, true };

	key.name = name;
	key.may_be_null = key.may_be_null || has_others;
	return key;
}

/* Numbers with a fraction are those of these units. */
static bool has_fraction(const char *name)
{
	return ends_with(name, "_ms") || ends_with(name, "_s") || ends_with(name, "percent") || !strcmp(name, "percent");
}

/* ---- ClickHouse */

/* An array cannot be Nullable there, and a nested object is no column in old versions. */
static void print_column(FILE *to, const struct key *key)
{
	static const char *const types[] = { [JSON_BOOLEAN] = "UInt8", [JSON_STRING] = "String" };
	const char *type = key->type == JSON_NUMBER ? has_fraction(key->name) ? "Float64" : "Int64" : types[key->type];

	if (key->type == JSON_OBJECT)
		fprintf(to, "\n    /* `%s` is an object: left out */", key->name);
	else if (key->type == JSON_ARRAY)
		fprintf(to, ",\n    `%s` Array(String)%s", key->name, key->may_be_null ? " /* empty where JSON has null */" : "");
	else if (key->may_be_null)
		fprintf(to, ",\n    `%s` Nullable(%s)", key->name, type);
	else
		fprintf(to, ",\n    `%s` %s", key->name, type);
}

static void begin_clickhouse(FILE *to, const struct json_schema *schema)
{
	fprintf(to, "-- Lines of %s -j: INSERT INTO %s FORMAT JSONEachRow\n"
		"-- with input_format_skip_unknown_fields = 1 and, from 21.1 on, input_format_null_as_default = 1.\n"
		"CREATE TABLE IF NOT EXISTS %s\n(\n"
		"    `at` DateTime MATERIALIZED parseDateTimeBestEffortOrZero(ifNull(`time`, '')),\n"
		"    `type` String,\n    `tool` String,\n    `host` String,\n    `time` Nullable(String),\n    `ts_ns` UInt64",
		schema->tool, schema->tool, schema->tool);
}

/* ---- JSON Schema */

static void print_property(FILE *to, const struct key *key)
{
	fprintf(to, ",\n    \"%s\": { \"type\": ", key->name);
	if (key->may_be_null)
		fprintf(to, "[\"%s\", \"null\"] }", json_names[key->type]);
	else
		fprintf(to, "\"%s\" }", json_names[key->type]);
}

static void begin_json(FILE *to, const struct json_schema *schema)
{
	fprintf(to, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": \"a line of %s -j\",\n"
		"  \"type\": \"object\",\n  \"required\": [\"type\", \"tool\"],\n  \"properties\": {\n"
		"    \"type\": { \"type\": \"string\" },\n    \"tool\": { \"const\": \"%s\" },\n    \"host\": { \"type\": \"string\" },\n"
		"    \"time\": { \"type\": [\"string\", \"null\"] },\n    \"ts_ns\": { \"type\": \"number\" }",
		schema->tool, schema->tool);
}

/* The key of a column, and those that may stand beside it: its bytes where they are no UTF-8, and how much of a long text is missing. */
static void print_keys(FILE *to, void (*print)(FILE *to, const struct key *key), const struct out_column *column, bool has_others)
{
	char name[OUT_KEY_SIZE], beside[OUT_KEY_SIZE + 8];
	struct key key, other = { .name = beside, .may_be_null = true };
	bool is_text, is_long;

	out_column__key(column, name);
	is_long = abs(column->width) <= 1 || !strcmp(name, "path");
	key = key_of(name, has_others);
	is_text = key.type == JSON_STRING || key.type == JSON_ARRAY;
	print(to, &key);
	/* the name of a process may have any bytes, too */
	if (!is_text || (!is_long && strcmp(name, "comm")))
		return;
	snprintf(beside, sizeof(beside), "%s_hex", name);
	other.type = JSON_STRING;
	print(to, &other);
	snprintf(beside, sizeof(beside), "%s_more", name);
	if (!is_long)
		return;
	/* one tool has a column for it */
	if (column[1].name) {
		out_column__key(&column[1], name);
		if (!strcmp(name, beside))
			return;
	}
	other.type = JSON_NUMBER;
	print(to, &other);
}

void json_schema__print(FILE *to, const char *kind, const struct json_schema *schema)
{
	bool is_table = !strcmp(kind, "clickhouse");
	void (*print)(FILE *to, const struct key *key) = is_table ? print_column : print_property;

	(is_table ? begin_clickhouse : begin_json)(to, schema);
	for (const struct out_column *column = schema->columns; column->name; column++)
		if (column->shown != &out_counted_only)
			print_keys(to, print, column, schema->has_others);
	for (size_t i = 0; schema->more[i]; i++) {
		struct key key = key_of(schema->more[i], true);

		print(to, &key);
	}
	fputs(is_table ? "\n) ENGINE = MergeTree() PARTITION BY toYYYYMMDD(`at`) ORDER BY (`at`, `ts_ns`);\n" : "\n  }\n}\n", to);
}
