/* SPDX-License-Identifier: BSD-2-Clause */
/* slabratetop-load COUNT [WRITERS [RATE]]: asks for the directory's name, for which the kernel allocates room. */
#include "work.h"

static void nothing(void)
{
}

static void ask(void)
{
	char name[4096];

	if (!getcwd(name, sizeof(name)))
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, nothing, ask);
}
