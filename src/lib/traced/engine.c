/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/probe/attach.h"
#include "lib/probe/attempt.h"

static const char *const names[] = { [ENGINE_AUTO] = "auto", [ENGINE_BPF] = "bpf", [ENGINE_FTRACE] = "ftrace" };

void engine__parse(struct engine *engine, const char *text)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i])) {
			engine->kind = (enum engine_kind)i;
			engine->asked = i != ENGINE_AUTO;
			return;
		}
	usage_error("--engine \"%s\": not one of auto, bpf, ftrace", text);
}

/* Whether programs cannot be on all of the functions, or miss calls then, and ftrace has all that was asked for. */
static bool may_be_ftrace(const struct tool *tool, const struct engine_wants *wants)
{
	return !wants->only_bpf && tool->attach->wanted == ATTACH_AUTO && (wants->prefers_ftrace || !attempt__has_multi());
}

/* Whether it is programs, however many functions there are. */
static bool is_for_programs(const struct engine *engine, const struct tool *tool, const struct engine_wants *wants)
{
	return engine->kind == ENGINE_BPF || (engine->kind == ENGINE_AUTO && !may_be_ftrace(tool, wants));
}

int engine__need_ftrace(struct engine *engine, struct tool *tool, const struct engine_wants *wants)
{
	if (!wants->only_ftrace)
		return 0;
	if (wants->only_bpf)
		return tool__fail(tool, -EOPNOTSUPP, "%s, and %s", wants->only_ftrace, wants->only_bpf);
	if (engine->kind == ENGINE_BPF)
		return tool__fail(tool, -EOPNOTSUPP, "%s (take --engine ftrace)", wants->only_ftrace);
	engine->needs_ftrace = true;
	engine->kind = ENGINE_FTRACE;
	return 0;
}

int engine__check(const struct engine *engine, struct tool *tool, const struct engine_wants *wants)
{
	if (engine->kind == ENGINE_FTRACE && wants->only_bpf)
		return tool__fail(tool, -EOPNOTSUPP, "--engine ftrace: %s (take --engine bpf)", wants->only_bpf);
	if (engine->kind == ENGINE_FTRACE && tool->attach->wanted != ATTACH_AUTO)
		return tool__fail(tool, -EINVAL, "--engine ftrace: --attach is about programs, and there are none (leave --attach out)");
	return 0;
}

int engine__choose(struct engine *engine, struct tool *tool, struct traced *traced, const struct engine_wants *wants)
{
	enum attach_mode attach = tool->attach->wanted;
	const char *but = wants->only_bpf ? "" : " (--engine ftrace can)";

	if (engine__need_ftrace(engine, tool, wants) || engine__check(engine, tool, wants))
		return tool->err;
	/* of several names one may be none that can be traced, which the match tells without an end for the others */
	if (engine->kind != ENGINE_FTRACE && traced->patterns_count == 1 && traced__are_few_names(traced) && attach != ATTACH_MULTI) {
		if (traced__take_names(traced, tool))
			return tool->err;
		/* what a probe finds wrong with a name it says itself */
		if (attach != ATTACH_AUTO || !traced__share_names(traced)) {
			engine->kind = ENGINE_BPF;
			return traced__deny(traced, tool, but);
		}
		functions__free(&traced->functions);
	}
	if (traced__match(traced, tool, is_for_programs(engine, tool, wants) ? TRACED_NAMES : TRACED_RECORDS, engine->kind == ENGINE_AUTO))
		return tool->err;
	if (engine->kind == ENGINE_AUTO)
		engine->kind = !traced__are_few(traced) && may_be_ftrace(tool, wants) ? ENGINE_FTRACE : ENGINE_BPF;
	if (engine->kind == ENGINE_FTRACE)
		return 0;
	/* it was for matching only */
	traced__remove_instance(traced);
	if (traced__deny(traced, tool, but))
		return tool->err;
	return traced__choose_multi(traced, tool, wants->done);
}

const char *engine__why(const struct engine *engine, const struct traced *traced)
{
	if (engine->asked)
		return "asked for";
	if (engine->needs_ftrace)
		return "programs do not have what was asked for";
	if (engine->kind == ENGINE_FTRACE)
		return traced->functions.count > TRACED_FEW ? "more functions than can have a probe each, and no kprobe.multi" :
			"a name of several functions, and no kprobe.multi";
	return traced->by_multi ? "one link for all functions" : "few functions, so each has its own programs";
}

void engine__tell(struct engine *engine, struct tool *tool, const char *how, const char *why, const char *promise)
{
	const char *name = names[engine->kind];

	snprintf(engine->start_members, sizeof(engine->start_members),
		 ",\"engine\":\"%s\",\"engine_how\":\"%s\",\"engine_why\":\"%s\",\"guarantee\":\"%s\"", name, how, why, promise);
	tool->start_members = engine->start_members;
	tool__debug(tool, "engine %s, %s: %s; %s", name, how, why, promise);
}
