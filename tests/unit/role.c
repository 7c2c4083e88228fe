/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs see of an event (lib/probe/role.h), by tag and by section: those of role.bpf.c. */
#include "lib/probe/role.h"

#include "check.h"

int main(void)
{
	static const struct {
		const char *program;
		enum role role;
	} wanted[] = {
		{ "entry", ROLE_SEES_BEGIN },	     { "ret", ROLE_SEES_END },
		{ "call", ROLE_SEES_BEGIN },	     { "call_ret", ROLE_SEES_END },
		{ "fentry", ROLE_SEES_BEGIN },	     { "fexit", ROLE_SEES_END },
		{ "enters", ROLE_SEES_BEGIN },	     { "exits", ROLE_SEES_END },
		{ "event", ROLE_OTHER },	     { "begin_event", ROLE_OTHER },
		{ "end_event", ROLE_OTHER },	     { "tagged_begin", ROLE_SEES_BEGIN },
		{ "tagged_end", ROLE_SEES_END },     { "tagged_whole", ROLE_SEES_WHOLE },
		{ "tagged_nothing", ROLE_SEES_NOTHING },
	};
	struct bpf_object *object = bpf_object__open_file(UNIT_FOLDER "/role.bpf.o", NULL);
	size_t programs = 0;
	struct bpf_program *program;

	if (!CHECK(object))
		return check_done();
	bpf_object__for_each_program(program, object)
		programs++;
	CHECK_INT(programs, sizeof(wanted) / sizeof(*wanted));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		program = bpf_object__find_program_by_name(object, wanted[i].program);
		if (CHECK(program))
			check_report(role__of(object, program) == wanted[i].role, __FILE__, __LINE__, "%s: role %d, expected %d",
				     wanted[i].program, role__of(object, program), wanted[i].role);
	}
	bpf_object__close(object);
	return check_done();
}
