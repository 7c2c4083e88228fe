/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as a filter: an error with a column inside the text, or instructions that a verifier takes and that do what the tree says. */
#include <errno.h>

#include "../unit/filter_model.h"
#include "fuzz.h"
#include "lib/gen/predicate.h"

static struct format *format;

static void run(const struct expr *tree, const struct bpf_insn *insns, size_t count, bool has_odd_pattern)
{
	char ctx[MODEL_CTX_SIZE] = {};
	struct machine machine = { .ctx = ctx, .ctx_size = sizeof(ctx), .comm = "law_writer", .uid = 1000, .cpu = 3 };
	struct model model = { .machine = &machine, .id = 1ULL << 32 | 2 };
	uint64_t got;

	memset(ctx + 8, 0xa5, 28);
	memcpy(ctx + 36, "abc", 3);
	memcpy(ctx + 52, "abc", 3);
	memcpy(ctx + 56, &(uint32_t){ 6 << 16 | 80 }, 4);
	memcpy(ctx + 60, &(uint32_t){ 6 << 16 | 16 }, 4);
	memcpy(ctx + 80, "abcab", 6);
	got = machine_run(&machine, insns, count, model.id);
	REQUIRE(!machine.why);
	/* fnmatch(3) knows more of "[" and of backslashes, such as "[[:alpha:]]" */
	REQUIRE(has_odd_pattern || got == model_holds(&model, tree));
}

/* The same in the kernel's own language, or a refusal that names a place. */
static void say(const struct expr *tree, const char *text)
{
	struct expr_error error;
	char *said = NULL;
	int err = predicate__make(&said, tree, format, &error);

	REQUIRE(!err == !!said);
	REQUIRE(!err || (err == -EOPNOTSUPP && *error.why && error.column <= strlen(text) + 1));
	free(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct expr_error error;
	struct expr *tree;
	struct emit emit = {};
	size_t count, where;
	int err;

	if (!format)
		REQUIRE(!format__parse(&format, "test", model_format, strlen(model_format), &(struct format_error){ 0 }));
	err = expr__parse(&tree, text, &error);
	REQUIRE(!err == !!tree);
	if (!err)
		err = condition__emit(&emit, tree, format, &error);
	if (!err) {
		const struct bpf_insn *function = model_function(&emit, &count);

		REQUIRE(!machine_verify(function, count, SCALAR, MODEL_CTX_END, 0, &where));
		run(tree, function, count, strpbrk(text, "[\\"));
		say(tree, text);
	} else {
		REQUIRE(err == -E2BIG || (err == -EINVAL && *error.why && error.column <= strlen(text) + 1));
	}
	emit__free(&emit);
	expr__free(tree);
	free(text);
	return 0;
}
