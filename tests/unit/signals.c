/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>

#include "check.h"
#include "lib/print/signals.h"

int main(void)
{
	static const char *const bad[] = { "", "SIG", "NOSUCH", "65", "-1", "15x", "RTMIN+99", "RTMIN+", "SIGRTMAX-x", "999999999999" };
	char name[SIGNAL_NAME_MAX], code[SIGNAL_CODE_MAX];

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
	CHECK_STR(signal__code(SIGTERM, 0, code), "SI_USER");
	CHECK_STR(signal__code(SIGTERM, 0x80, code), "SI_KERNEL");
	CHECK_STR(signal__code(SIGTERM, -60, code), "SI_ASYNCNL");
	CHECK_STR(signal__code(SIGKILL, -7, code), "SI_DETHREAD");
	CHECK_STR(signal__code(SIGFPE, 8, code), "FPE_FLTSUB");
	CHECK_STR(signal__code(SIGFPE, 9, code), "9");
	CHECK_STR(signal__code(SIGFPE, 15, code), "FPE_CONDTRAP");
	CHECK_STR(signal__code(SIGFPE, 16, code), "16");
	CHECK_STR(signal__code(SIGCHLD, 6, code), "CLD_CONTINUED");
	CHECK_STR(signal__code(SIGCHLD, 7, code), "7");
	CHECK_STR(signal__code(SIGSYS, 2, code), "SYS_USER_DISPATCH");
	CHECK_STR(signal__code(SIGTERM, 1, code), "1");
	CHECK_STR(signal__code(SIGSEGV, -2147483647 - 1, code), "-2147483648");
	return check_done();
}
