/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is attached to the kernel's functions, from every place that tells a part of it: kprobes/list in debugfs,
 * enabled_functions, kprobe_events and kprobe_profile in tracefs, BPF's links and programs, and the descriptors of all
 * processes, for who holds them and, on kernels whose links do not say what they are attached to, for that.
 */
#ifndef PROBELIGHT_PROBED_H
#define PROBELIGHT_PROBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/kernel/ksyms.h"

enum probed_by {
	PROBED_BY_KPROBE,	/* a kprobe or kretprobe of the kernel, whoever asked for it */
	PROBED_BY_FTRACE,	/* the callbacks that ftrace makes from the function's first bytes */
	PROBED_BY_EVENT,	/* a line in kprobe_events, or of an fprobe in dynamic_events */
	PROBED_BY_BPF,		/* a BPF program */
};

/* One of them.  Strings are NULL where there is nothing to say, and belong to the list. */
struct probed {
	enum probed_by by;
	char *function;
	char *module;			/* NULL: the kernel itself */
	uint64_t offset;		/* of the probe in the function */
	uint64_t address;		/* of the probe, 0 where it is not known */
	bool is_return;

	char *flags;			/* KPROBE: "FTRACE DISABLED"; FTRACE: letters such as "R D" (Documentation/trace/ftrace.rst) */
	unsigned int ops;		/* FTRACE: how many callbacks */
	char *trampoline;		/* FTRACE: what is called, and by it, as enabled_functions has it, without sizes */
	char *event;			/* EVENT: "GROUP/NAME" */
	const char *how;		/* EVENT and BPF: "kprobe", "kretprobe.multi", "fprobe", "fexit" … */
	uint32_t link_id, program_id;	/* BPF: 0 where there is none */
	char *program, *program_type;	/* BPF */
	char *holders;			/* BPF: "unlinksnoop[393], cat[1]"; NULL: only a pin holds it */

	bool hits_known;		/* kprobe EVENT; BPF where run statistics are on */
	uint64_t hits;
	uint64_t run_ns;		/* BPF: all runs together */
	bool misses_known;		/* EVENT; BPF since 6.7 */
	uint64_t misses;
};

struct probed_list {
	struct probed *all;		/* by function, then by enum probed_by */
	size_t count, room;
	char **notes;			/* what this kernel does not tell, a sentence each */
	size_t notes_count;
};

/*
 * Fills the list (zeroed) with what is attached to functions that wanted() wants, module NULL being the kernel itself; what
 * cannot be read is a note.  probed__free releases it.
 */
typedef bool (*probed_wanted)(void *context, const char *function, const char *module);
void probed__gather(struct probed_list *list, const struct ksyms *ksyms, probed_wanted wanted, void *context);
void probed__free(struct probed_list *list);

/*
 * Takes apart a line of kprobes/list: "ffffffff8145be44  k  do_unlinkat+0x4  module [FTRACE]".  Fills by, function, module,
 * offset, address, is_return and flags.  false where it is none.
 */
bool probed__parse_kprobe(const char *line, struct probed *probed);

/*
 * Takes apart a line of enabled_functions: "do_unlinkat [module] (1) R D\ttramp: … (…) ->…".  false where it is none; a line that
 * begins with a tab belongs to the one before, and is appended to its trampoline.
 */
bool probed__parse_ftrace(const char *line, struct probed *probed);

/*
 * Takes apart a line of kprobe_events: "p:GROUP/NAME [MODULE:]FUNC[+OFFSET] …", or one of an fprobe in dynamic_events:
 * "f:GROUP/NAME FUNC[%return] …".  false where it is none.
 */
bool probed__parse_event(const char *line, struct probed *probed);

/* Releases what one of the three has allocated. */
void probed__clear(struct probed *probed);

#endif
