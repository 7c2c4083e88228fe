/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "condition.h"
#include "lib/format/fetch_name.h"
#include "lib/format/user_args.h"
#include "lib/kernel/kernel.h"
#include "lib/printfmt/shown_texts.h"
#include "predicate.h"
#include "touch.h"

static int make_condition(struct plan *plan, const struct requests *requests, const struct request *request,
			  struct fault *fault)
{
	struct expr_error error;
	int err;

	plan->filter = request->filter ? request->filter : requests->filter;
	plan->filter_text = request->filter ? request->filter_text : requests->filter_text;
	if (!plan->filter)
		return condition__emit_true(&plan->matches);
	/* that of all events, and the event's own */
	if (request->filter && requests->filter) {
		plan->both = (struct expr){ .kind = EXPR_AND, .column = 1, .left = requests->filter, .right = request->filter };
		plan->filter = &plan->both;
	}
	err = condition__emit(&plan->matches, plan->filter, plan->format, &error);
	if (err)
		plan__explain(plan, &error, fault);
	return err;
}

int plan__predicate(const struct plan *plan, char **text, struct expr_error *error)
{
	return predicate__make(text, plan->filter, plan->format, error);
}

void plan__explain(const struct plan *plan, const struct expr_error *error, struct fault *fault)
{
	request__explain(plan->filter_text, error, fault);
}

static int make_shown(struct plan *plan)
{
	const struct record *record = &plan->record;

	plan->shown = calloc(record->count + 1, sizeof(*plan->shown));
	if (!plan->shown)
		return -ENOMEM;
	for (size_t i = 0; i < record->count; i++)
		if (shown__make(&plan->shown[i], plan->format, record->fields[i].field, record->fields[i].number.size,
				record->fields[i].number.is_signed))
			return -ENOMEM;
	return 0;
}

/* The names of fields, of their texts ("mode/x" is the field "mode", and how it is shown), freed by free_names(). 0 or -ENOMEM. */
static int take_names(char **names, const char *const *texts, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count; i++) {
		names[i] = fetch__name(texts[i]);
		err = names[i] ? err : -ENOMEM;
	}
	return err;
}

static void free_names(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
}

static int make_copy(struct plan *plan, const struct request *request, struct fault *fault)
{
	char *names[REQUEST_FIELDS_MAX];
	int err = take_names(names, (const char *const *)request->fields, request->fields_count);

	if (!err)
		err = record__plan(&plan->record, plan->format, (const char *const *)names, request->fields_count, fault);
	free_names(names, request->fields_count);
	if (!err)
		err = record__emit(&plan->copy, &plan->record);
	return err ? err : make_shown(plan);
}

static int make_key(struct plan *plan, const struct plan_counts *counts, struct fault *fault)
{
	char *names[KEY_PARTS_MAX];
	int err = take_names(names, counts->names, counts->names_count);

	if (!err)
		err = key__plan(&plan->key, plan->format, (const char *const *)names, counts->names_count, fault);
	free_names(names, counts->names_count);
	return err ? err : key__emit(&plan->copy, &plan->key);
}

/* Which of all system calls it is. */
static int make_syscalls(struct plan *plan, struct sources *sources, const char *name, struct fault *fault)
{
	struct syscall_numbers numbers;
	int err;

	if (plan->source != REQUEST_SYSCALL && plan->source != REQUEST_SYSCALL_RETURN)
		return 0;
	err = sources__need_syscalls(sources, fault);
	if (err)
		return err;
	syscall_numbers__find(&numbers, name);
	plan->compat_args = *numbers.compat_args;
	plan->begin_args = sources->syscalls.begin_args;
	plan->end_ret = sources->syscalls.end_ret;
	err = syscall__emit_begins(&plan->is_begin, &numbers, &sources->syscalls);
	if (err || plan->source == REQUEST_SYSCALL)
		return err;
	syscall_numbers__find_returns(&numbers, name);
	return syscall__emit_returns(&plan->is_return, &numbers, &sources->syscalls);
}

/* Uprobes' programs may sleep since 6.0 (8c7dcb84e3b7). */
static int make_touch(struct plan *plan)
{
	if (!request__is_user(plan->source))
		return 0;
	plan->sleeps = touch__has_texts(plan->format) && kernel__version() >= kernel_version(6, 0, 0);
	return plan->sleeps ? touch__emit(&plan->touch, plan->format) : touch__emit_nothing(&plan->touch);
}

/* ---- the names that are asked for */

#define NAMES_MAX 512

struct wanted {
	const char *names[NAMES_MAX];
	size_t count;
};

static void want(struct wanted *wanted, const char *name)
{
	if (wanted->count < NAMES_MAX)
		wanted->names[wanted->count++] = name;
}

static void want_operands(struct wanted *wanted, const struct expr *expr)
{
	if (!expr)
		return;
	if (expr->kind == EXPR_NAME)
		want(wanted, expr->text);
	want_operands(wanted, expr->left);
	want_operands(wanted, expr->right);
}

static int find_format(struct plan *plan, struct sources *sources, const struct requests *requests, const struct request *request,
		       const char *system, const char *name, const struct plan_counts *counts, struct fault *fault)
{
	struct wanted wanted = {};

	for (size_t i = 0; i < request->fields_count && !request__is_user(request->source); i++)
		want(&wanted, request->fields[i]);
	for (size_t i = 0; i < counts->names_count; i++)
		want(&wanted, counts->names[i]);
	want_operands(&wanted, request->filter);
	want_operands(&wanted, requests->filter);
	if (request__is_user(request->source))
		return user_args__format(name, request->source == REQUEST_USER_RETURN ? &returned_places : NULL, &(struct user_args_wanted){
			.names = (const char *const *)request->fields, .types = (const char *const *)request->types,
			.count = request->fields_count, .others = wanted.names, .others_count = wanted.count,
			.operands = request->operands }, &plan->format, fault);
	return sources__format(sources, request->source, system, name, wanted.names, wanted.count, &plan->format, fault);
}

static void set_name(struct plan *plan, const char *system, const char *name)
{
	snprintf(plan->name, sizeof(plan->name), "%s:%s", system, name);
}

bool plan__is_common(const struct request *request, const char *name)
{
	return (request->source == REQUEST_USER || request->source == REQUEST_USER_RETURN) && !user_args__are_known(name);
}

void plan__make_alike(struct plan *plan, const struct plan *other, const char *system, const char *name)
{
	*plan = *other;
	plan->is_alike = true;
	set_name(plan, system, name);
}

int plan__make(struct plan *plan, struct sources *sources, const struct requests *requests, const struct request *request,
	       const char *system, const char *name, const struct plan_counts *counts, struct fault *fault)
{
	int err;

	*plan = (struct plan){ .source = request->source, .slots = request->slots };
	fault__set(fault, -ENOMEM, "no memory");
	err = find_format(plan, sources, requests, request, system, name, counts, fault);
	if (err)
		return err;
	set_name(plan, system, name);
	err = counts->is_wanted ? make_key(plan, counts, fault) : make_copy(plan, request, fault);
	if (!err)
		err = make_condition(plan, requests, request, fault);
	if (!err)
		err = make_syscalls(plan, sources, name, fault);
	if (!err)
		err = make_touch(plan);
	if (err)
		plan__free(plan);
	return err;
}

void plan__free(struct plan *plan)
{
	if (plan->is_alike) {
		*plan = (struct plan){};
		return;
	}
	for (size_t i = 0; plan->shown && i < plan->record.count; i++)
		shown__free(&plan->shown[i]);
	free(plan->shown);
	record__free(&plan->record);
	key__free(&plan->key);
	emit__free(&plan->is_begin);
	emit__free(&plan->is_return);
	emit__free(&plan->matches);
	emit__free(&plan->copy);
	emit__free(&plan->touch);
	format__free(plan->format);
	*plan = (struct plan){};
}

static bool set_symbols(struct plan *plan, bool are_texts, shown_symbol *symbol)
{
	bool has = false;

	for (size_t i = 0; i < plan__values(plan); i++) {
		struct shown *shown = plan->key.count ? &plan->key.parts[i].shown : &plan->shown[i];

		if (shown->kind == SHOWN_SYMBOL && shown->is_text_at == are_texts) {
			shown->symbol = symbol;
			has = true;
		}
	}
	return has;
}

bool plan__set_symbols(struct plan *plan, shown_symbol *symbol)
{
	return set_symbols(plan, false, symbol);
}

bool plan__set_texts(struct plan *plan, shown_symbol *text)
{
	return set_symbols(plan, true, text);
}

size_t plan__room(const struct plan *plan)
{
	size_t room = 16;

	for (size_t i = 0; i < plan->record.count; i++) {
		const struct format_field *field = plan->record.fields[i].field;
		struct record_texts texts = record__texts(plan->format, field);

		room += shown__room(&plan->shown[i], field->size + RECORD_DYNAMIC_MAX);
		if (format_field__has_texts(field))
			room += shown_texts__room(&plan->shown[i], texts.count, texts.max);
	}
	for (size_t i = 0; i < plan->key.count; i++)
		room += shown__room(&plan->key.parts[i].shown, plan->key.parts[i].size);
	return room;
}

size_t plan__values(const struct plan *plan)
{
	return plan->record.count + plan->key.count;
}

const struct shown *plan__shown(const struct plan *plan, size_t index)
{
	return plan->key.count ? &plan->key.parts[index].shown : &plan->shown[index];
}

static char *put_texts(const struct plan *plan, size_t index, char *to, const void *copy, bool json)
{
	const struct record_field *field = &plan->record.fields[index];
	struct shown_text texts[FORMAT_TEXTS_MAX];

	for (unsigned int i = 0; i < field->field->array_len; i++) {
		struct record_value value = record__text(&plan->record, field, copy, i);

		texts[i] = (struct shown_text){ .bytes = value.bytes, .size = value.size, .more = value.more };
	}
	return shown_texts__put(&plan->shown[index], to, texts, field->field->array_len, json);
}

char *plan__put(const struct plan *plan, size_t index, char *to, const void *copy, bool json, bool in_line)
{
	const struct shown *shown = plan__shown(plan, index);
	struct record_value value;

	if (!plan->key.count && format_field__has_texts(plan->record.fields[index].field))
		return put_texts(plan, index, to, copy, json);
	value = plan->key.count ? key__value(&plan->key.parts[index], copy) :
		record__value(&plan->record, &plan->record.fields[index], copy);
	if (!value.bytes)
		return shown__fault(shown, to, json);
	if (json)
		return shown__json(shown, to, value.bytes, value.size, value.more);
	return shown__text(shown, to, value.bytes, value.size, value.more, in_line);
}

char *plan__put_all(const struct plan *plan, char *to, const void *copy, bool json)
{
	if (json)
		*to++ = '{';
	for (size_t i = 0; i < plan__values(plan); i++) {
		if (i)
			*to++ = json ? ',' : ' ';
		if (!json) {
			to = stpcpy(to, plan__shown(plan, i)->key);
			*to++ = '=';
		}
		to = plan__put(plan, i, to, copy, json, true);
	}
	if (json)
		*to++ = '}';
	return to;
}

int plan__width(const struct shown *shown)
{
	int name = (int)strlen(shown->key), width;

	switch (shown->kind) {
	case SHOWN_NUMBER:
		width = shown->size == 8 ? 12 : shown->size == 4 ? 7 : 5;
		return width > name ? width : name;
	case SHOWN_HEX:
	case SHOWN_POINTER:
		width = 2 + 2 * (int)shown->size;
		break;
	case SHOWN_DEVICE:
		width = 7;
		break;
	default:
		width = 16;
	}
	return width > name ? -width : -name;
}
