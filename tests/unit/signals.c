/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>

#include "check.h"
#include "lib/print/signals.h"

int main(void)
{
	static const char *const bad[] = { "", "SIG", "NOSUCH", "65", "-1", "15x", "RTMIN+99", "RTMIN+", "SIGRTMAX-x", "999999999999" };
	char name[SIGNAL_NAME_MAX];

	CHECK_STR(signal__name(SIGTERM, name), "SIGTERM");
	CHECK_STR(signal__name(9, name), "SIGKILL");
	CHECK_STR(signal__name(0, name), "0");
	CHECK_STR(signal__name(SIGRTMIN, name), "SIGRTMIN");
	CHECK_STR(signal__name(SIGRTMIN + 3, name), "SIGRTMIN+3");
	CHECK_STR(signal__name(99, name), "99");
	CHECK_STR(signal__name(-2147483647 - 1, name), "-2147483648");
	/* every signal by its own name */
	for (int signal = 1; signal <= SIGRTMAX; signal++)
		CHECK_INT(signal__parse(signal__name(signal, name)), signal);
	CHECK_INT(signal__parse("term"), SIGTERM);
	CHECK_INT(signal__parse("SigTerm"), SIGTERM);
	CHECK_INT(signal__parse("0"), 0);
	CHECK_INT(signal__parse("RTMAX-1"), SIGRTMAX - 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!CHECK(signal__parse(bad[i]) == -EINVAL))
			fprintf(stderr, "    of \"%s\"\n", bad[i]);
	return check_done();
}
