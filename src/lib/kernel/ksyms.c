/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code_id.h"
#include "file.h"
#include "function_list.h"
#include "hidden.h"
#include "ksyms.h"
#include "lib/print/near.h"
#include "sorted.h"

#define KALLSYMS "/proc/kallsyms"

#define TEXT_MAX (256 << 20)

static const char *kallsyms = KALLSYMS;
static int kept = -1;

/* The file, where it is kept in memory. */
static struct {
	char *text;
	size_t size;
} whole;

void ksyms__use(const char *path)
{
	kallsyms = path ? path : KALLSYMS;
}

/* A descriptor of the caller's, from the file's beginning. */
static int open_kallsyms(void)
{
	if (kept < 0)
		return open(kallsyms, O_RDONLY | O_CLOEXEC);
	if (lseek(kept, 0, SEEK_SET) < 0)
		return -1;
	return fcntl(kept, F_DUPFD_CLOEXEC, 0);
}

static bool starts_with(const char *string, const char *prefix)
{
	return !strncmp(string, prefix, strlen(prefix));
}

bool ksym__is_function(const struct ksym *sym)
{
	size_t length = strlen(sym->name);

	if (!strchr("tTwW", sym->type))
		return false;
	/* __pfx_: padding before a function, listed since 6.3; __cfi_: the type hash before it */
	if (starts_with(sym->name, "__pfx_") || starts_with(sym->name, "__cfi_"))
		return false;
	return length < 5 || strcmp(sym->name + length - 5, ".cold");
}

/* The hexadecimal number at *pos, which moves behind it.  Half of all the time goes into this with strtoull(3). */
static uint64_t parse_address(char **pos)
{
	uint64_t address = 0;

	for (;; ++*pos) {
		char c = **pos;

		if (c >= '0' && c <= '9')
			address = address << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			address = address << 4 | (uint64_t)(c - 'a' + 10);
		else
			return address;
	}
}

/* A line: "ffffffff81000000 T name" or "ffffffffc0000000 t name\t[module]".  Returns false where it is none. */
static bool parse_line(char *line, struct ksym *sym)
{
	char *end = line, *module;

	sym->address = parse_address(&end);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	sym->type = end[1];
	sym->name = end + 3;
	sym->module = NULL;
	module = strchr(end + 3, '\t');
	if (module) {
		*module++ = '\0';
		module[strcspn(module, "]")] = '\0';
		if (*module == '[')
			sym->module = module + 1;
	}
	return *sym->name;
}

/* The file's lines, from itself or from memory. */
struct source {
	int fd;		/* -1: from memory */
	size_t at;	/* there */
};

/* 0 or -errno. */
static int open_source(struct source *source)
{
	*source = (struct source){ .fd = whole.text ? -1 : open_kallsyms() };
	return whole.text || source->fd >= 0 ? 0 : -errno;
}

/* As read(2). */
static ssize_t read_source(struct source *source, char *to, size_t room)
{
	if (source->fd >= 0)
		return read(source->fd, to, room);
	if (room > whole.size - source->at)
		room = whole.size - source->at;
	memcpy(to, whole.text + source->at, room);
	source->at += room;
	return (ssize_t)room;
}

static void close_source(const struct source *source)
{
	if (source->fd >= 0)
		close(source->fd);
}

/* Calls each for every line of the file, as it stands there. */
static int read_lines(int (*each)(void *context, const struct ksym *sym), void *context)
{
	enum { room = 256 * 1024 };
	size_t used = 0;
	struct source source;
	int err = open_source(&source);
	char *buffer;

	if (err)
		return err;
	buffer = malloc(room);
	if (!buffer) {
		close_source(&source);
		return -ENOMEM;
	}
	for (;;) {
		char *line = buffer, *newline;
		ssize_t got;

		got = read_source(&source, buffer + used, room - used);
		if (got < 0) {
			if (errno == EINTR)
				continue;
			err = -errno;
			break;
		}
		if (!got)
			break;
		used += got;
		while ((newline = memchr(line, '\n', buffer + used - line))) {
			struct ksym sym;

			*newline = '\0';
			if (parse_line(line, &sym)) {
				err = each(context, &sym);
				if (err)
					goto out;
			}
			line = newline + 1;
		}
		used -= line - buffer;
		if (used == room) {
			err = -EFBIG;
			break;
		}
		memmove(buffer, line, used);
	}
out:
	free(buffer);
	close_source(&source);
	return err;
}

/* The addresses of the kernel's own symbols, in the order of the file, as far as its code goes; none where the file shows them. */
static struct {
	uint64_t *addresses;
	size_t count;
	bool looked, hides;
} hidden;

static int look_at_one(void *context, const struct ksym *sym)
{
	bool *hides = context;

	if (!ksym__is_function(sym))
		return 0;
	*hides = !sym->address;
	return 1;
}

/* Finds the addresses where the file hides them; a test's file does what it wants. */
static void reveal(void)
{
	if (hidden.looked || strcmp(kallsyms, KALLSYMS))
		return;
	hidden.looked = true;
	if (read_lines(look_at_one, &hidden.hides) == 1 && hidden.hides)
		hidden__find(read_lines, &hidden.addresses, &hidden.count);
}

bool ksyms__are_hidden(void)
{
	reveal();
	return hidden.hides && !hidden.count;
}

struct showing {
	int (*each)(void *context, const struct ksym *sym);
	void *context;
	size_t at;
};

static int show_one(void *context, const struct ksym *sym)
{
	struct showing *showing = context;
	struct ksym copy = *sym;

	if (showing->at < hidden.count)
		copy.address = hidden.addresses[showing->at++];
	return showing->each(showing->context, &copy);
}

int ksyms__each(int (*each)(void *context, const struct ksym *sym), void *context)
{
	struct showing showing = { .each = each, .context = context };

	reveal();
	return hidden.count && !strcmp(kallsyms, KALLSYMS) ? read_lines(show_one, &showing) : read_lines(each, context);
}

/* Whether answers are of the running kernel, or those of a test. */
static bool keeps_answers(void)
{
	return !strcmp(kallsyms, KALLSYMS) || strcmp(code_id__places.cache, CACHE_FOLDER);
}

static int list_one(void *context, const struct ksym *sym)
{
	return ksym__is_function(sym) ? function_list__add(context, sym) : 0;
}

/* The list that was kept, or the file's, which is kept then.  Hidden addresses are not: who is shown some has others. */
static int read_functions(struct function_list *list)
{
	int err;

	if (keeps_answers() && !function_list__read(list))
		return 0;
	err = ksyms__each(list_one, list);
	if (!err && keeps_answers() && !hidden.hides)
		function_list__keep(list);
	return err;
}

int ksyms__each_function(int (*each)(void *context, const struct ksym *sym), void *context)
{
	struct function_list list = { 0 };
	int err = read_functions(&list);

	if (!err)
		err = function_list__each(&list, each, context);
	function_list__free(&list);
	return err;
}

/*
 * Whether addresses may be hidden, by what costs less than the file, 500 of whose lines come before its first function: kptr_restrict
 * hides them from root only where it is 2 (kallsyms_show_value()).  Root of another user namespace cannot ask for them either.
 */
static bool may_be_hidden(void)
{
	char text[16];

	return geteuid() || file__read_small("/proc/sys/kernel/kptr_restrict", text, sizeof(text)) <= 0 || atoi(text) >= 2;
}

void ksyms__keep_functions(void)
{
	struct function_list list = { 0 };

	/* what cannot be kept would be read for nothing */
	if (!keeps_answers() || may_be_hidden() || !function_list__is_wanted(&list))
		return;
	if (!ksyms__each(list_one, &list) && !hidden.hides)
		function_list__keep(&list);
	function_list__free(&list);
}

int ksyms__keep_open(void)
{
	if (kept < 0)
		kept = open(kallsyms, O_RDONLY | O_CLOEXEC);
	if (kept < 0)
		return -errno;
	/* for the list of functions that is kept */
	code_id__keep_open();
	/* now, as capabilities may be dropped next */
	if (may_be_hidden())
		reveal();
	return 0;
}

int ksyms__keep_text(void)
{
	int fd, err;

	ksyms__drop_text();
	fd = open_kallsyms();
	if (fd < 0)
		return -errno;
	err = file__read_fd(fd, TEXT_MAX, &whole.text, &whole.size);
	close(fd);
	if (err)
		whole.text = NULL;
	return err;
}

void ksyms__drop_text(void)
{
	free(whole.text);
	whole.text = NULL;
}

/* Names with at most so many letter pairs in common are not near: 450 of 1000. */
#define NEAR_LIMIT (NEAR_UNLIKE - 449)

struct find {
	const char *module;
	const char *name;
	size_t name_length;
	struct ksyms_match *match;
	struct near_pairs pairs;
	struct near near;
};

static void copy_name(char *to, const char *name)
{
	size_t length = strnlen(name, KSYMS_NAME_MAX - 1);

	memcpy(to, name, length);
	to[length] = '\0';
}

/* What gcc appends to a function that it specialised (.constprop, .isra) or split (.part). */
static bool is_variant_suffix(const char *suffix)
{
	return starts_with(suffix, ".isra.") || starts_with(suffix, ".constprop.") || starts_with(suffix, ".part.");
}

/* Whether it may be the one that is looked for, as far as its kind and module tell. */
static bool is_candidate(const struct find *find, const struct ksym *sym)
{
	if (!ksym__is_function(sym))
		return false;
	return !find->module || (sym->module && !strcmp(sym->module, find->module));
}

static void find_one(struct find *find, const struct ksym *sym)
{
	struct ksyms_match *match = find->match;

	/* the comparison that nearly all fail comes first */
	if (strncmp(sym->name, find->name, find->name_length) || !is_candidate(find, sym))
		return;
	if (!sym->name[find->name_length]) {
		if (!match->functions++) {
			match->address = sym->address;
			if (sym->module)
				strncat(match->module, sym->module, sizeof(match->module) - 1);
		}
	} else if (is_variant_suffix(sym->name + find->name_length)) {
		if (match->variants_count < KSYMS_VARIANTS)
			copy_name(match->variants[match->variants_count], sym->name);
		match->variants_count++;
	}
}

/* Names are compared for likeness until the name is found: to read all of them again costs more than to compare. */
static int find_or_near(void *context, const struct ksym *sym)
{
	struct find *find = context;

	find_one(find, sym);
	if (!find->match->functions && !find->match->variants_count && is_candidate(find, sym))
		near__add(&find->near, sym->name, near_pairs__distance(&find->pairs, sym->name));
	return 0;
}

/* What is kept for the next start: a function of which there is one, so that the same command, typed again, does not read 100,000 names. */
struct only_match {
	uint64_t address;
	char module[KSYMS_MODULE_MAX];
};

static int find_in_all(const char *module, const char *name, struct ksyms_match *match)
{
	struct find find = {
		.module = module,
		.name = name,
		.name_length = strlen(name),
		.match = match,
	};
	int err;

	memset(match, 0, sizeof(*match));
	near_pairs__init(&find.pairs, name);
	near__init(&find.near, NEAR_LIMIT, KSYMS_NEAREST);
	err = ksyms__each_function(find_or_near, &find);
	if (err || match->functions || match->variants_count)
		return err;
	match->nearest_count = find.near.count;
	for (unsigned int i = 0; i < find.near.count; i++)
		copy_name(match->nearest[i], find.near.names[i]);
	return 0;
}

int ksyms__find(const char *module, const char *name, struct ksyms_match *match)
{
	struct only_match only = {};
	struct code_id id = {};
	int err;

	if (keeps_answers())
		code_id__read(&id, code_id__question("only function 1", module, name));
	if (code_id__get(&id, &only, sizeof(only))) {
		memset(match, 0, sizeof(*match));
		match->functions = 1;
		match->address = only.address;
		memcpy(match->module, only.module, sizeof(only.module));
		match->module[sizeof(match->module) - 1] = '\0';
		return 0;
	}
	err = find_in_all(module, name, match);
	if (err || match->functions != 1 || match->variants_count || !match->address)
		return err;
	only.address = match->address;
	memcpy(only.module, match->module, sizeof(only.module));
	code_id__put(&id, &only, sizeof(only));
	return 0;
}

struct next {
	uint64_t address, next;
};

static int next_one(void *context, const struct ksym *sym)
{
	struct next *next = context;

	if (sym->address > next->address && (!next->next || sym->address < next->next))
		next->next = sym->address;
	return 0;
}

uint64_t ksyms__size(uint64_t address)
{
	struct next next = { .address = address };

	return !ksyms__each(next_one, &next) && next.next ? next.next - address : 0;
}

struct ksyms {
	struct ksym *all;	/* names and modules are offsets into text while it grows */
	size_t count, room;
	char *text;
	size_t text_used, text_room;
	bool hidden;
};

/* Appends a string, and returns its place in text + 1, or 0 without memory. */
static size_t keep_text(struct ksyms *ksyms, const char *string)
{
	size_t size = strlen(string) + 1, at = ksyms->text_used;

	if (at + size > ksyms->text_room) {
		size_t room = ksyms->text_room ? ksyms->text_room * 2 : 1 << 20;
		char *text = realloc(ksyms->text, room);

		if (!text)
			return 0;
		ksyms->text = text;
		ksyms->text_room = room;
	}
	memcpy(ksyms->text + at, string, size);
	ksyms->text_used += size;
	return at + 1;
}

static int load_one(void *context, const struct ksym *sym)
{
	struct ksyms *ksyms = context;
	size_t name, module = 0;

	/* of modules, and of code that was freed, the kernel may not have told any */
	if (!ksym__is_function(sym) || (!sym->address && hidden.count))
		return 0;
	if (ksyms->count == ksyms->room) {
		size_t room = ksyms->room ? ksyms->room * 2 : 1 << 15;
		struct ksym *all = realloc(ksyms->all, room * sizeof(*all));

		if (!all)
			return -ENOMEM;
		ksyms->all = all;
		ksyms->room = room;
	}
	name = keep_text(ksyms, sym->name);
	if (sym->module)
		module = keep_text(ksyms, sym->module);
	if (!name || (sym->module && !module))
		return -ENOMEM;
	if (!sym->address)
		ksyms->hidden = true;
	ksyms->all[ksyms->count++] = (struct ksym){
		.address = sym->address, .type = sym->type, .name = (const char *)name, .module = (const char *)module,
	};
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* The kernel's own are in order and come first, so the modules' are all that is left to sort. */
static void sort(struct ksyms *ksyms)
{
	size_t sorted = 1;

	while (sorted < ksyms->count && ksyms->all[sorted].address >= ksyms->all[sorted - 1].address)
		sorted++;
	if (sorted >= ksyms->count)
		return;
	qsort(ksyms->all + sorted, ksyms->count - sorted, sizeof(*ksyms->all), by_address);
	if (ksyms->all[sorted].address < ksyms->all[sorted - 1].address)
		qsort(ksyms->all, ksyms->count, sizeof(*ksyms->all), by_address);
}

static struct ksyms *load(int (*each_of)(int (*each)(void *context, const struct ksym *sym), void *context))
{
	struct ksyms *ksyms = calloc(1, sizeof(*ksyms));
	int err;

	if (!ksyms)
		return NULL;
	err = each_of(load_one, ksyms);
	if (!err && ksyms->hidden)
		err = -EPERM;
	if (err) {
		ksyms__free(ksyms);
		errno = -err;
		return NULL;
	}
	for (size_t i = 0; i < ksyms->count; i++) {
		struct ksym *sym = &ksyms->all[i];

		sym->name = ksyms->text + (size_t)sym->name - 1;
		sym->module = sym->module ? ksyms->text + (size_t)sym->module - 1 : NULL;
	}
	sort(ksyms);
	return ksyms;
}

struct ksyms *ksyms__load(void)
{
	return load(ksyms__each);
}

struct ksyms *ksyms__load_kept(void)
{
	return load(ksyms__each_function);
}

void ksyms__free(struct ksyms *ksyms)
{
	if (!ksyms)
		return;
	free(ksyms->all);
	free(ksyms->text);
	free(ksyms);
}

/* The code that the kernel makes for kprobes is a page long (arch/x86/kernel/kprobes/core.c and others: kprobe_insn_page). */
#define MADE_PAGE 4096
/* No function is longer: what is above the last one of a module, or of the kernel, is other memory. */
#define FUNCTION_MAX (64 * 1024)

/* Whether a function reaches as far as that; next: the one above it, or NULL. */
static bool reaches(const struct ksym *sym, const struct ksym *next, uint64_t offset)
{
	const char *module = sym->module ?: "", *next_module = next && next->module ? next->module : "";

	if (!offset)
		return true;
	/* the ends of the kernel's code: data follows */
	if (!strcmp(sym->name, "_etext") || !strcmp(sym->name, "_einittext"))
		return false;
	if (starts_with(module, "__builtin__"))
		return offset < MADE_PAGE;
	return (next && !strcmp(module, next_module)) || offset < FUNCTION_MAX;
}

/* The function that begins at the address or below; above: the number of the one above it, if there is one. */
static const struct ksym *find_below(const struct ksyms *ksyms, uint64_t address, size_t *above)
{
	size_t low = sorted__up_to(ksyms->all, ksyms->count, sizeof(*ksyms->all), address);

	*above = low;
	/* of several names for one address the first, as the kernel lists them */
	while (low > 1 && ksyms->all[low - 2].address == ksyms->all[low - 1].address)
		low--;
	return low ? &ksyms->all[low - 1] : NULL;
}

const struct ksym *ksyms__at(const struct ksyms *ksyms, uint64_t address, uint64_t *offset)
{
	size_t above;
	const struct ksym *sym = find_below(ksyms, address, &above);

	if (!sym)
		return NULL;
	*offset = address - sym->address;
	return reaches(sym, ksyms__get(ksyms, above), *offset) ? sym : NULL;
}

const struct ksym *ksyms__between(const struct ksyms *ksyms, uint64_t address, uint64_t *offset)
{
	size_t above;
	const struct ksym *sym = find_below(ksyms, address, &above), *next = ksyms__get(ksyms, above);

	return sym && next && !strcmp(sym->module ?: "", next->module ?: "") ? ksyms__at(ksyms, address, offset) : NULL;
}

const struct ksym *ksyms__get(const struct ksyms *ksyms, size_t index)
{
	return index < ksyms->count ? &ksyms->all[index] : NULL;
}

uint64_t ksyms__address(const struct ksyms *ksyms, const char *module, const char *name)
{
	for (size_t i = 0; i < ksyms->count; i++) {
		const struct ksym *sym = &ksyms->all[i];

		if (!strcmp(sym->name, name) && (!module || (sym->module && !strcmp(sym->module, module))))
			return sym->address;
	}
	return 0;
}

struct ksyms *ksyms_lists__kept(struct ksyms_lists *lists)
{
	if (!lists->tried_kept)
		lists->kept = ksyms__load_kept();
	lists->tried_kept = true;
	return lists->kept;
}

struct ksyms *ksyms_lists__all(struct ksyms_lists *lists)
{
	if (!lists->tried_all)
		lists->all = ksyms__load();
	lists->tried_all = true;
	return lists->all;
}

const struct ksym *ksyms_lists__at(struct ksyms_lists *lists, uint64_t address, uint64_t *offset)
{
	const struct ksym *sym = ksyms_lists__kept(lists) ? ksyms__between(lists->kept, address, offset) : NULL;

	if (!sym && ksyms_lists__all(lists))
		sym = ksyms__at(lists->all, address, offset);
	return sym;
}

void ksyms_lists__free(struct ksyms_lists *lists)
{
	ksyms__free(lists->kept);
	ksyms__free(lists->all);
	lists->kept = lists->all = NULL;
}
