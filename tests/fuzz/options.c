/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: the command line that all tools share, on any words.  Who may run a tool through sudo chooses these.  The
 * words are separated by newlines; exit() and the messages are caught (see the Makefile).
 */
#include "lib/run/tool.h"

#include <setjmp.h>
#include <stdbool.h>

#include <sanitizer/allocator_interface.h>

#include "fuzz.h"

#define WORDS_MAX 64

static jmp_buf next_input;
static bool is_parsing;
static int said;

/* The first memory that is allocated for a command line is argp_parse()'s own; longjmp() leaves that without giving it back. */
static const volatile void *argp_memory;
static bool has_memory;

static void on_malloc(const volatile void *memory, size_t size)
{
	(void)size;
	if (is_parsing && !has_memory)
		argp_memory = memory;
	has_memory |= is_parsing;
}

static void on_free(const volatile void *memory)
{
	if (argp_memory == memory)
		argp_memory = NULL;
}

void __real_exit(int status) __attribute__((noreturn));
void __wrap_exit(int status) __attribute__((noreturn));
void __wrap_vsay(const char *format, va_list args);
void __wrap_say(const char *format, ...);

void __wrap_exit(int status)
{
	if (!is_parsing)
		__real_exit(status);
	is_parsing = false;
	/* the help and the version are no error; all else says why, once */
	REQUIRE(status ? said == 1 && (status == 1 || status == 2) : !said);
	longjmp(next_input, 1);
}

void __wrap_vsay(const char *format, va_list args)
{
	char *text;

	REQUIRE(vasprintf(&text, format, args) > 0);
	free(text);
	said++;
}

void __wrap_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	__wrap_vsay(format, args);
	va_end(args);
}

static error_t parse_own(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	(void)state;
	return key == 's' ? 0 : ARGP_ERR_UNKNOWN;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	/* the help */
	REQUIRE(freopen("/dev/null", "w", stdout));
	REQUIRE(__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct argp_option own[] = { { "signal", 's', "SIGNAL", 0, "", 0 }, { NULL, 0, NULL, 0, NULL, 0 } };
	/* volatile: they are read after longjmp() */
	char *volatile text = fuzz_string(data, size);
	static struct tool_about about;
	static struct tool tool;
	char *argv[WORDS_MAX + 2] = { "fuzzsnoop" };
	int argc = 1;

	about = (struct tool_about){ .name = "fuzzsnoop", .summary = "", .examples = "", .options = own, .parse = parse_own,
				     .has_result = true };
	tool = (struct tool){ .about = &about, .cgroup_fd = -1 };
	for (char *word = text; argc <= WORDS_MAX && word < text + size; argc++) {
		char *end = strchr(word, '\n');

		argv[argc] = word;
		if (!end)
			end = word + strlen(word);
		word = end + 1;
		*end = '\0';
	}
	said = 0;
	has_memory = false;
	is_parsing = true;
	if (!setjmp(next_input)) {
		tool__parse(&tool, argc, argv);
		/* but for a hint at a process that -n does not match, which depends on what runs, and for a cgroup that is waited for */
		REQUIRE(!said || tool.options.filter.by_comm || tool.options.filter.by_cgroup);
		REQUIRE(tool.options.filter.pids_count <= sizeof(tool.options.filter.pids) / sizeof(*tool.options.filter.pids));
	}
	is_parsing = false;
	free((void *)argp_memory);
	if (tool.cgroup_fd >= 0)
		close(tool.cgroup_fd);
	free(text);
	return 0;
}
