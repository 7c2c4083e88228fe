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
	{ SIGHUP, "HUP" }, { SIGINT, "INT" }, { SIGQUIT, "QUIT" }, { SIGILL, "ILL" }, { SIGTRAP, "TRAP" },
	{ SIGABRT, "ABRT" }, { SIGBUS, "BUS" }, { SIGFPE, "FPE" }, { SIGKILL, "KILL" }, { SIGUSR1, "USR1" },
	{ SIGSEGV, "SEGV" }, { SIGUSR2, "USR2" }, { SIGPIPE, "PIPE" }, { SIGALRM, "ALRM" }, { SIGTERM, "TERM" },
#ifdef SIGSTKFLT
	{ SIGSTKFLT, "STKFLT" },
#endif
	{ SIGCHLD, "CHLD" }, { SIGCONT, "CONT" }, { SIGSTOP, "STOP" }, { SIGTSTP, "TSTP" }, { SIGTTIN, "TTIN" },
	{ SIGTTOU, "TTOU" }, { SIGURG, "URG" }, { SIGXCPU, "XCPU" }, { SIGXFSZ, "XFSZ" }, { SIGVTALRM, "VTALRM" },
	{ SIGPROF, "PROF" }, { SIGWINCH, "WINCH" }, { SIGIO, "IO" }, { SIGPWR, "PWR" }, { SIGSYS, "SYS" },
};
#define SIGNALS_COUNT (sizeof(signals) / sizeof(*signals))

const char *signal__name(int signal, char name[SIGNAL_NAME_MAX])
{
	for (size_t i = 0; i < SIGNALS_COUNT; i++) {
		if (signals[i].number == signal) {
			snprintf(name, SIGNAL_NAME_MAX, "SIG%s", signals[i].name);
			return name;
		}
	}
	if (signal == SIGRTMIN)
		snprintf(name, SIGNAL_NAME_MAX, "SIGRTMIN");
	else if (signal > SIGRTMIN && signal <= SIGRTMAX)
		snprintf(name, SIGNAL_NAME_MAX, "SIGRTMIN+%d", signal - SIGRTMIN);
	else
		snprintf(name, SIGNAL_NAME_MAX, "%d", signal);
	return name;
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
		if (!strcasecmp(text, signals[i].name))
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
