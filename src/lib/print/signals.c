/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "signals.h"

/* Those of Linux, on every architecture it runs on; numbers differ between them, so they are the C library's. */
static const struct {
	int number;
	const char *name;
} signals[] = {
#define SIGNAL(name) { SIG##name, "SIG" #name }
	SIGNAL(HUP), SIGNAL(INT), SIGNAL(QUIT), SIGNAL(ILL), SIGNAL(TRAP), SIGNAL(ABRT), SIGNAL(BUS), SIGNAL(FPE),
	SIGNAL(KILL), SIGNAL(USR1), SIGNAL(SEGV), SIGNAL(USR2), SIGNAL(PIPE), SIGNAL(ALRM), SIGNAL(TERM),
#ifdef SIGSTKFLT
	SIGNAL(STKFLT),
#endif
	SIGNAL(CHLD), SIGNAL(CONT), SIGNAL(STOP), SIGNAL(TSTP), SIGNAL(TTIN), SIGNAL(TTOU), SIGNAL(URG), SIGNAL(XCPU),
	SIGNAL(XFSZ), SIGNAL(VTALRM), SIGNAL(PROF), SIGNAL(WINCH), SIGNAL(IO), SIGNAL(PWR), SIGNAL(SYS),
#undef SIGNAL
};
#define SIGNALS_COUNT (sizeof(signals) / sizeof(*signals))

/* include/uapi/linux/pidfd.h; the numbers are the same on all architectures */
const struct flag_name pidfd_signal_flags[] = {
	{ 1, "PIDFD_SIGNAL_THREAD" }, { 2, "PIDFD_SIGNAL_THREAD_GROUP" }, { 4, "PIDFD_SIGNAL_PROCESS_GROUP" }, { 0, NULL },
};

const char *signal__name(int signal, char number[SIGNAL_NAME_MAX])
{
	if (!signal)
		return "0";
	for (size_t i = 0; i < SIGNALS_COUNT; i++)
		if (signals[i].number == signal)
			return signals[i].name;
	if (signal == SIGRTMIN)
		return "SIGRTMIN";
	if (signal > SIGRTMIN && signal <= SIGRTMAX)
		snprintf(number, SIGNAL_NAME_MAX, "SIGRTMIN+%d", signal - SIGRTMIN);
	else
		snprintf(number, SIGNAL_NAME_MAX, "%d", signal);
	return number;
}

/* Those that do not depend on the signal (include/uapi/asm-generic/siginfo.h). */
static const struct {
	int code;
	const char *name;
} codes[] = {
	{ 0, "SI_USER" }, { 0x80, "SI_KERNEL" }, { -1, "SI_QUEUE" }, { -2, "SI_TIMER" }, { -3, "SI_MESGQ" },
	{ -4, "SI_ASYNCIO" }, { -5, "SI_SIGIO" }, { -6, "SI_TKILL" }, { -7, "SI_DETHREAD" },
	{ -60, "SI_ASYNCNL" },
};

/* A signal's own, from 1 on. */
static const char *const chld_codes[] = { "CLD_EXITED", "CLD_KILLED", "CLD_DUMPED", "CLD_TRAPPED", "CLD_STOPPED", "CLD_CONTINUED" };
static const char *const segv_codes[] = { "SEGV_MAPERR", "SEGV_ACCERR", "SEGV_BNDERR", "SEGV_PKUERR", "SEGV_ACCADI", "SEGV_ADIDERR",
					  "SEGV_ADIPERR", "SEGV_MTEAERR", "SEGV_MTESERR", "SEGV_CPERR" };
static const char *const bus_codes[] = { "BUS_ADRALN", "BUS_ADRERR", "BUS_OBJERR", "BUS_MCEERR_AR", "BUS_MCEERR_AO" };
static const char *const ill_codes[] = { "ILL_ILLOPC", "ILL_ILLOPN", "ILL_ILLADR", "ILL_ILLTRP", "ILL_PRVOPC", "ILL_PRVREG",
					 "ILL_COPROC", "ILL_BADSTK", "ILL_BADIADDR" };
static const char *const fpe_codes[] = { "FPE_INTDIV", "FPE_INTOVF", "FPE_FLTDIV", "FPE_FLTOVF", "FPE_FLTUND", "FPE_FLTRES",
					 "FPE_FLTINV", "FPE_FLTSUB", [13] = "FPE_FLTUNK", "FPE_CONDTRAP" };
static const char *const trap_codes[] = { "TRAP_BRKPT", "TRAP_TRACE", "TRAP_BRANCH", "TRAP_HWBKPT", "TRAP_UNK", "TRAP_PERF" };
static const char *const poll_codes[] = { "POLL_IN", "POLL_OUT", "POLL_MSG", "POLL_ERR", "POLL_PRI", "POLL_HUP" };
static const char *const sys_codes[] = { "SYS_SECCOMP", "SYS_USER_DISPATCH" };

static const struct {
	int signal, count;
	const char *const *names;
} codes_of_signals[] = {
#define CODES(signal, names) { signal, sizeof(names) / sizeof(*(names)), names }
	CODES(SIGCHLD, chld_codes), CODES(SIGSEGV, segv_codes), CODES(SIGBUS, bus_codes), CODES(SIGILL, ill_codes),
	CODES(SIGFPE, fpe_codes), CODES(SIGTRAP, trap_codes), CODES(SIGIO, poll_codes), CODES(SIGSYS, sys_codes),
#undef CODES
};

const char *signal__code(int signal, int code, char number[SIGNAL_CODE_MAX])
{
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].code == code)
			found = codes[i].name;
	for (size_t i = 0; i < sizeof(codes_of_signals) / sizeof(*codes_of_signals); i++)
		if (codes_of_signals[i].signal == signal && code >= 1 && code <= codes_of_signals[i].count)
			found = codes_of_signals[i].names[code - 1];
	if (found)
		return found;
	snprintf(number, SIGNAL_CODE_MAX, "%d", code);
	return number;
}

static int parse_number(const char *text, int from, int to)
{
	char *end;
	long number = strtol(text, &end, 10);

	return isdigit((unsigned char)*text) && !*end && number >= from && number <= to ? (int)number : -EINVAL;
}

int signal__parse(const char *text)
{
	int number;

	if (isdigit((unsigned char)*text))
		return parse_number(text, 0, 64);	/* _NSIG; 0 is a signal that can be sent */
	if (!strncasecmp(text, "SIG", 3))
		text += 3;
	for (size_t i = 0; i < SIGNALS_COUNT; i++)
		if (!strcasecmp(text, signals[i].name + 3))
			return signals[i].number;
	if (!strcasecmp(text, "RTMIN"))
		return SIGRTMIN;
	if (!strcasecmp(text, "RTMAX"))
		return SIGRTMAX;
	if (!strncasecmp(text, "RTMIN+", 6)) {
		number = parse_number(text + 6, 0, SIGRTMAX - SIGRTMIN);
		return number < 0 ? number : SIGRTMIN + number;
	}
	if (!strncasecmp(text, "RTMAX-", 6)) {
		number = parse_number(text + 6, 0, SIGRTMAX - SIGRTMIN);
		return number < 0 ? number : SIGRTMAX - number;
	}
	return -EINVAL;
}
