/* SPDX-License-Identifier: BSD-2-Clause */
/* One exec in twenty succeeds: the writer becomes this program anew, which goes on with the events that are left. */
#include <string.h>

#define main law_main
#include "law_workload.h"
#undef main

static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	char state[sizeof(law_self) * 2 + 1];
	char *success[] = { (char *)"law_writer", state, NULL }, *failure[] = { (char *)"none", (char *)"of", (char *)"these", NULL };

	(void)writer;
	if (fail || index % 20) {
		execv("/no/such/program", failure);
		return true;
	}
	law_self.index++;
	for (size_t i = 0; i < sizeof(law_self); i++)
		sprintf(state + 2 * i, "%02x", ((unsigned char *)&law_self)[i]);
	execv("/proc/self/exe", success);
	law_die("/proc/self/exe");
	return true;
}

int main(int argc, char **argv)
{
	if (strcmp(argv[0], "law_writer"))
		return law_main(argc, argv);
	for (size_t i = 0; i < sizeof(law_self); i++)
		sscanf(argv[1] + 2 * i, "%2hhx", (unsigned char *)&law_self + i);
	law_go_on();
}
