// SPDX-License-Identifier: BSD-2-Clause
/* Lengths of instructions: those of lib/user/insn_x86 against those that objdump prints for programs of this machine. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "lib/user/insn.h"

static struct {
	size_t instructions, differ;
} compared;

/* Reads "  26d0a:\tf3 0f 1e fa          \tendbr64"; how many bytes, 0: it is no such line. */
static size_t read_line(const char *line, uint8_t *bytes, const char **text)
{
	size_t count = 0;
	char *end;

	strtoull(line, &end, 16);
	if (end == line || end[0] != ':' || end[1] != '\t')
		return 0;
	for (end += 2; end[0] > ' ' && end[1] > ' ' && count < 32; end += end[2] == ' ' ? 3 : 2)
		bytes[count++] = (uint8_t)strtoul((char[]){ end[0], end[1], 0 }, NULL, 16);
	*text = strchr(end, '\t');
	*text = *text ? *text + 1 : "";
	return count;
}

static int is_prefix(uint8_t byte)
{
	return (byte & 0xf0) == 0x40 || (byte && strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", byte));
}

static int is_all_prefixes(const uint8_t *bytes, size_t count)
{
	while (count && is_prefix(bytes[count - 1]))
		count--;
	return !count;
}

/* What is no code: data, prefixes without an instruction, and a jump of which processors differ in how long it is. */
static int is_odd(const uint8_t *bytes, size_t count, const char *text)
{
	return !*text || strstr(text, "(bad)") || !strncmp(text, ".byte", 5) || is_all_prefixes(bytes, count) ||
	       (bytes[0] == 0x66 && (bytes[1] == 0xe9 || bytes[1] == 0xe8));
}

/* objdump takes fwait as a part of the instruction behind it; to the processor it is one of its own. */
static size_t length_at(const uint8_t *bytes, size_t count)
{
	size_t first = bytes[0] == 0x9b && count > 1 ? 1 : 0;

	return first + insn_x86__at(bytes + first, count - first).length;
}

static void compare_file(const char *path)
{
	char command[256], line[512];
	FILE *file;

	snprintf(command, sizeof(command), "objdump -d -w --no-show-raw-insn --show-raw-insn %s", path);
	file = popen(command, "r");
	compared.instructions = compared.differ = 0;
	while (file && fgets(line, sizeof(line), file)) {
		uint8_t bytes[32];
		const char *text;
		size_t count = read_line(line, bytes, &text);

		if (!count || is_odd(bytes, count, text))
			continue;
		compared.instructions++;
		if (length_at(bytes, count) == count)
			continue;
		if (compared.differ++ < 10)
			fprintf(stderr, "%s: %zu, not %zu: %s", path, length_at(bytes, count), count, line);
	}
	CHECK(file && !pclose(file));
	CHECK_INT(compared.differ, 0);
	printf("%s: %zu instructions, as objdump has them\n", path, compared.instructions);
}

static const struct {
	const char *bytes;
	size_t size, length;
	enum insn_kind kind;
	bool is_refused;
} cases[] = {
	{ "\xc3", 1, 1, INSN_RET }, { "\xc2\x08\x00", 3, 3, INSN_RET }, { "\xf3\xc3", 2, 2, INSN_RET },
	{ "\xf3\x0f\x1e\xfa", 4, 4, INSN_PLAIN }, { "\xb8\x44\x33\x22\x11", 5, 5, INSN_PLAIN },
	{ "\x48\xb8\1\2\3\4\5\6\7\x08", 10, 10, INSN_PLAIN }, { "\x48\xc7\xc0\1\2\3\4", 7, 7, INSN_PLAIN },
	{ "\x66\xb8\1\2", 4, 4, INSN_PLAIN }, { "\xf7\x05\1\2\3\4\5\6\7\x08", 10, 10, INSN_PLAIN },
	{ "\xf7\xd8", 2, 2, INSN_PLAIN }, { "\xe9\1\2\3\4", 5, 5, INSN_JUMP }, { "\xeb\1", 2, 2, INSN_JUMP },
	{ "\xff\x25\1\2\3\4", 6, 6, INSN_JUMP }, { "\xff\xd0", 2, 2, INSN_PLAIN },
	/* the kernel refuses these */
	{ "\xf0\xff\x0f", 3, 3, INSN_PLAIN, true }, { "\xcc", 1, 1, INSN_PLAIN, true }, { "\x0f\x05", 2, 2, INSN_PLAIN, true },
	{ "\x0f\x0b", 2, 2, INSN_PLAIN, true }, { "\xf4", 1, 1, INSN_PLAIN, true }, { "\xcd\x80", 2, 2, INSN_PLAIN, true },
	{ "\x62\xf1\x7c\x48\x10\x07", 6, 6, INSN_PLAIN, true }, { "\x66\x2e\x0f\x1f\x84\0\0\0\0\0", 10, 10, INSN_PLAIN, true },
	/* returns all the same; a switch's jump (notrack jmp *%rax), and a tail call through a register */
	{ "\x2e\xc3", 2, 2, INSN_RET, true }, { "\x3e\xff\xe0", 3, 3, INSN_PLAIN, true }, { "\xff\xe0", 2, 2, INSN_JUMP },
	/* none in 64-bit mode, cut off, too long */
	{ "\x06", 1, 0, 0 }, { "\xd6", 1, 0, 0 }, { "\xb8\x44\x33\x22", 4, 0, 0 }, { "", 0, 0, 0 }, { "\x48", 1, 0, 0 },
	{ "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", 16, 0, 0 },
};

static void check_target(const char *bytes, size_t size, bool has_target, int64_t target)
{
	struct insn insn = insn_x86__at((const uint8_t *)bytes, size);

	CHECK_INT(insn.length, size);
	CHECK_INT(insn.has_target, has_target);
	CHECK_INT(insn.target, target);
}

/* Where jumps lead to: from their start. */
static void check_targets(void)
{
	check_target("\xeb\xfe", 2, true, 0);
	check_target("\x74\x03", 2, true, 5);
	check_target("\xe3\x80", 2, true, -126);
	check_target("\x3e\x74\x03", 3, true, 6);
	check_target("\xe9\x10\0\0\0", 5, true, 0x15);
	check_target("\x0f\x85\xfa\xff\xff\xff", 6, true, 0);
	check_target("\xf2\xe9\0\0\0\0", 6, true, 6);
	check_target("\xe8\x10\0\0\0", 5, false, 0);
	check_target("\xff\xe0", 2, false, 0);
	check_target("\xc3", 1, false, 0);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct insn insn = insn_x86__at((const uint8_t *)cases[i].bytes, cases[i].size);

		if (insn.length != cases[i].length || insn.kind != cases[i].kind || insn.is_refused != cases[i].is_refused)
			check_report(0, __FILE__, __LINE__, "case %zu: %zu bytes of kind %d, %d", i, insn.length, insn.kind, insn.is_refused);
	}
	check_targets();
	/* of which there are more: build/unit/insn_x86 FILE… */
	for (int i = 1; i < argc; i++)
		compare_file(argv[i]);
#ifdef __x86_64__
	static const char *const paths[] = { "/bin/bash", "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6" };

	for (size_t i = 0; argc == 1 && i < sizeof(paths) / sizeof(*paths); i++)
		if (!access(paths[i], R_OK))
			compare_file(paths[i]);
#endif
	return check_done();
}
