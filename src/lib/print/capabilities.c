/* SPDX-License-Identifier: BSD-2-Clause */
#include "capabilities.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* include/uapi/linux/capability.h, in its order; the last one is of 5.9. */
static const char *const names[] = {
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_DAC_READ_SEARCH", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_SETGID",
	"CAP_SETUID", "CAP_SETPCAP", "CAP_LINUX_IMMUTABLE", "CAP_NET_BIND_SERVICE", "CAP_NET_BROADCAST", "CAP_NET_ADMIN",
	"CAP_NET_RAW", "CAP_IPC_LOCK", "CAP_IPC_OWNER", "CAP_SYS_MODULE", "CAP_SYS_RAWIO", "CAP_SYS_CHROOT",
	"CAP_SYS_PTRACE", "CAP_SYS_PACCT", "CAP_SYS_ADMIN", "CAP_SYS_BOOT", "CAP_SYS_NICE", "CAP_SYS_RESOURCE",
	"CAP_SYS_TIME", "CAP_SYS_TTY_CONFIG", "CAP_MKNOD", "CAP_LEASE", "CAP_AUDIT_WRITE", "CAP_AUDIT_CONTROL",
	"CAP_SETFCAP", "CAP_MAC_OVERRIDE", "CAP_MAC_ADMIN", "CAP_SYSLOG", "CAP_WAKE_ALARM", "CAP_BLOCK_SUSPEND",
	"CAP_AUDIT_READ", "CAP_PERFMON", "CAP_BPF", "CAP_CHECKPOINT_RESTORE",
};
#define NAMES_COUNT ((int)(sizeof(names) / sizeof(*names)))
#define ALL ((1ULL << NAMES_COUNT) - 1)

const char *capability__name(int capability, char number[CAPABILITY_NAME_MAX])
{
	if (capability >= 0 && capability < NAMES_COUNT)
		return names[capability];
	snprintf(number, CAPABILITY_NAME_MAX, "%d", capability);
	return number;
}

int capability__parse(const char *text)
{
	char *end;
	long number;

	if (isdigit((unsigned char)*text)) {
		number = strtol(text, &end, 10);
		return !*end && number <= 63 ? (int)number : -EINVAL;
	}
	if (!strncasecmp(text, "CAP_", 4))
		text += 4;
	for (int i = 0; i < NAMES_COUNT; i++)
		if (!strcasecmp(text, names[i] + 4))
			return i;
	return -EINVAL;
}

const char *capabilities__text(uint64_t set, char text[CAPABILITIES_TEXT_MAX])
{
	char number[CAPABILITY_NAME_MAX], *to = text;

	if (!set || set == ALL) {
		strcpy(text, set ? "all" : "none");
		return text;
	}
	for (int i = 0; i < 64; i++) {
		if (!(set >> i & 1))
			continue;
		if (to != text)
			*to++ = ',';
		for (const char *from = i < NAMES_COUNT ? names[i] + 4 : capability__name(i, number); *from; from++)
			*to++ = (char)tolower((unsigned char)*from);
	}
	*to = '\0';
	return text;
}
