/* SPDX-License-Identifier: BSD-2-Clause */
/* What BTF said, kept and found again: as bytes, also damaged ones; and by functions whose BTF is gone meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "check.h"
#include "lib/btf/answers.h"
#include "lib/btf/rawbtf.h"
#include "lib/format/format.h"
#include "lib/format/kfuncs.h"

/* A struct of two members, and an int. */
static const __u32 pair[] = { 10, BTF_KIND_STRUCT << 24 | 2, 8, 20, 3, 0, 30, 3, 32 };
static const __u32 number[] = { 40, BTF_KIND_INT << 24, 4, BTF_INT_SIGNED << 24 | 32 };

static void *made(size_t *size)
{
	struct answers answers = { .ids = 100 };
	void *bytes = NULL;

	CHECK_INT(answers__add_match(&answers, 7, (const struct btf_type *)pair), 0);
	/* in no order, and twice */
	for (int i = 0; i < 2; i++) {
		CHECK_INT(answers__add_type(&answers, 7, (const struct btf_type *)pair), 0);
		CHECK_INT(answers__add_type(&answers, 3, (const struct btf_type *)number), 0);
		CHECK_INT(answers__add_string(&answers, 40, "int"), 0);
		CHECK_INT(answers__add_string(&answers, 10, "pair"), 0);
		CHECK_INT(answers__add_string(&answers, 0, ""), 0);
	}
	CHECK_INT(answers__make(&answers, &bytes, size), 0);
	answers__free(&answers);
	return bytes;
}

static void check_found(void)
{
	struct answers answers;
	size_t size, again;
	void *bytes = made(&size), *copy = NULL;

	CHECK_INT(answers__parse(&answers, bytes, size), 0);
	CHECK_INT(answers.ids, 100);
	CHECK(answers.matches_count == 1 && answers.matches[0].id == 7 && answers.matches[0].head.name_off == 10);
	CHECK(answers.types_count == 2 && answers.strings_count == 3);
	CHECK(!memcmp(answers__type(&answers, 7), pair, sizeof(pair)) && !memcmp(answers__type(&answers, 3), number, sizeof(number)));
	CHECK_STR(answers__string(&answers, 10), "pair");
	CHECK_STR(answers__string(&answers, 40), "int");
	CHECK_STR(answers__string(&answers, 0), "");
	CHECK(!answers__type(&answers, 4) && !answers__string(&answers, 11));
	/* more is asked: both are kept */
	CHECK_INT(answers__add_string(&answers, 20, "first"), 0);
	CHECK_INT(answers__make(&answers, &copy, &again), 0);
	answers__free(&answers);
	CHECK_INT(answers__parse(&answers, copy, again), 0);
	CHECK_STR(answers__string(&answers, 20), "first");
	CHECK_STR(answers__string(&answers, 40), "int");
	CHECK(!memcmp(answers__type(&answers, 7), pair, sizeof(pair)));
	answers__free(&answers);
	/* nothing at all */
	CHECK_INT(answers__make(&answers, &copy, &again), 0);
	CHECK_INT(answers__parse(&answers, copy, again), 0);
	CHECK(!answers.types_count && !answers__string(&answers, 0));
	answers__free(&answers);
}

/* Looks at all that is there: the sanitizer sees what lies beyond the bytes. */
static size_t look(const struct answers *answers)
{
	size_t sum = 0;

	for (size_t i = 0; i < answers->types_count; i++)
		for (size_t j = 0; j < rawbtf__type_size(answers->types[i].type); j++)
			sum += ((const unsigned char *)answers->types[i].type)[j];
	for (size_t i = 0; i < answers->strings_count; i++)
		sum += strlen(answers->strings[i].text);
	return sum;
}

/* Bytes in memory of just their size. */
static int parse(const void *bytes, size_t size)
{
	struct answers answers;
	void *copy = malloc(size ? size : 1);
	int err;

	CHECK(copy);
	memcpy(copy, bytes, size);
	err = answers__parse(&answers, copy, size);
	if (!err) {
		CHECK(look(&answers) < 1 << 20);
		answers__free(&answers);
	}
	return err;
}

static void check_damaged(void)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t size;
	unsigned char *bytes = made(&size);

	for (size_t shorter = 0; shorter < size - 1; shorter++)
		CHECK_INT(parse(bytes, shorter), -EINVAL);
	for (size_t at = 0; at < size; at++) {
		unsigned char kept = bytes[at];

		for (size_t i = 0; i < sizeof(values); i++) {
			int err;

			bytes[at] = values[i];
			err = parse(bytes, size);
			CHECK(!err || err == -EINVAL);
		}
		bytes[at] = kept;
	}
	CHECK_INT(parse(bytes, size), 0);
	bytes[size - 1] = 1;
	CHECK_INT(parse(bytes, size), -EINVAL);
	free(bytes);
}

/* ---- functions of a kernel whose BTF cannot be mapped */

static char directory[] = "/tmp/probelight-answers.XXXXXX";
static char btf_path[64], notes_path[64], folder[64];

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	CHECK(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
}

/* move(struct item *from, int count) among types that nobody asks for. */
static void *make_btf(__u32 *size)
{
	struct btf *btf = btf__new_empty();
	int number_id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), item, to_item, prototype;
	const void *raw;
	void *copy;

	for (int i = 0; i < 200; i++)
		CHECK(btf__add_ptr(btf, number_id) > 0);
	item = btf__add_struct(btf, "item", 24);
	CHECK(!btf__add_field(btf, "weight", number_id, 0, 0) && !btf__add_field(btf, "price", number_id, 128, 0));
	to_item = btf__add_ptr(btf, item);
	prototype = btf__add_func_proto(btf, number_id);
	CHECK(!btf__add_func_param(btf, "from", to_item) && !btf__add_func_param(btf, "count", number_id));
	CHECK(btf__add_func(btf, "move", BTF_FUNC_STATIC, prototype) > 0);
	raw = btf__raw_data(btf, size);
	copy = malloc(*size);
	CHECK(raw && copy);
	memcpy(copy, raw, *size);
	btf__free(btf);
	return copy;
}

/* The offset and the declaration of the member that move()'s field names; -1: there is none. */
static int offset_of(const char *member)
{
	struct kfuncs *kfuncs = kfuncs__new(btf_path);
	struct format *format = NULL;
	const char *field = member;
	struct fault fault;
	int offset = -1;

	CHECK(kfuncs);
	if (!kfuncs__format(kfuncs, "move", NULL, &field, 1, &format, &fault) && format->fields_count == 3 &&
	    format->fields[2].hops)
		offset = format->fields[2].hops->offsets[0];
	format__free(format);
	kfuncs__free(kfuncs);
	return offset;
}

/* The path of the only file in the folder; false: there is none, or there are several. */
static bool kept_file(char *path, size_t size)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int count = 0;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.') {
			snprintf(path, size, "%s/%s", folder, entry->d_name);
			count++;
		}
	if (dir)
		closedir(dir);
	return count == 1;
}

static void check_functions(void)
{
	static const char notes[] = "\4\0\0\0\24\0\0\0\3\0\0\0GNU\0" "0123456789abcdefghij";
	const struct rawbtf_memory usual = rawbtf__memory;
	char file[512] = "";
	__u32 size;
	char *btf = make_btf(&size), *other;
	struct btf_header *header;

	rawbtf__memory = (struct rawbtf_memory){ btf_path, notes_path, folder };
	rawbtf__may_map = false;
	write_file(btf_path, btf, size);
	/* a kernel without a build id: nothing is kept */
	write_file(notes_path, "", 0);
	CHECK_INT(offset_of("from->price"), 16);
	CHECK(!kept_file(file, sizeof(file)));
	write_file(notes_path, notes, sizeof(notes) - 1);
	CHECK_INT(offset_of("from->price"), 16);
	CHECK(kept_file(file, sizeof(file)));

	/* types that cannot be read, of the same sizes: what was kept is found, and no more */
	other = malloc(size);
	CHECK(other);
	memcpy(other, btf, size);
	header = (struct btf_header *)other;
	memset(other + header->hdr_len + header->type_off, 0xff, header->type_len);
	write_file(btf_path, other, size);
	CHECK_INT(offset_of("from->price"), 16);
	CHECK_INT(offset_of("from->none"), -1);

	/* what is kept is damaged, or another one's: then all is read */
	write_file(file, "x", 1);
	CHECK_INT(offset_of("from->price"), -1);
	write_file(btf_path, btf, size);
	CHECK_INT(offset_of("from->price"), 16);
	CHECK_INT(chmod(file, 0622), 0);
	write_file(btf_path, other, size);
	CHECK_INT(offset_of("from->price"), -1);
	CHECK_INT(chmod(file, 0600), 0);
	CHECK_INT(offset_of("from->price"), 16);

	/* asked for more of the same function: that is read, and kept too */
	write_file(btf_path, btf, size);
	CHECK_INT(unlink(file), 0);
	CHECK_INT(offset_of("count->x"), -1);
	CHECK(kept_file(file, sizeof(file)));
	CHECK_INT(offset_of("from->price"), 16);
	write_file(btf_path, other, size);
	CHECK_INT(offset_of("from->price"), 16);
	CHECK_INT(offset_of("from->weight"), 0);

	/* where it can be mapped it is not asked for */
	rawbtf__may_map = true;
	CHECK_INT(offset_of("from->price"), -1);

	rawbtf__memory = usual;
	free(other);
	free(btf);
	unlink(file);
	rmdir(folder);
	unlink(btf_path);
	unlink(notes_path);
}

int main(void)
{
	CHECK(mkdtemp(directory));
	snprintf(btf_path, sizeof(btf_path), "%s/vmlinux", directory);
	snprintf(notes_path, sizeof(notes_path), "%s/notes", directory);
	snprintf(folder, sizeof(folder), "%s/kept", directory);
	check_found();
	check_damaged();
	check_functions();
	rmdir(directory);
	return check_done();
}
