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
	"CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP", "LINUX_IMMUTABLE",
	"NET_BIND_SERVICE", "NET_BROADCAST", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "IPC_OWNER", "SYS_MODULE", "SYS_RAWIO",
	"SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT", "SYS_ADMIN", "SYS_BOOT", "SYS_NICE", "SYS_RESOURCE", "SYS_TIME",
	"SYS_TTY_CONFIG", "MKNOD", "LEASE", "AUDIT_WRITE", "AUDIT_CONTROL", "SETFCAP", "MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG",
	"WAKE_ALARM", "BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF", "CHECKPOINT_RESTORE",
};
#define NAMES_COUNT ((int)(sizeof(names) / sizeof(*names)))
#define ALL ((1ULL << NAMES_COUNT) - 1)

const char *capability__name(int capability, char name[CAPABILITY_NAME_MAX])
{
	if (capability >= 0 && capability < NAMES_COUNT)
		snprintf(name, CAPABILITY_NAME_MAX, "CAP_%s", names[capability]);
	else
		snprintf(name, CAPABILITY_NAME_MAX, "%d", capability);
	return name;
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
		if (!strcasecmp(text, names[i]))
			return i;
	return -EINVAL;
}

const char *capabilities__text(uint64_t set, char text[CAPABILITIES_TEXT_MAX])
{
	char name[CAPABILITY_NAME_MAX], *to = text;

	if (!set || set == ALL) {
		strcpy(text, set ? "all" : "none");
		return text;
	}
	for (int i = 0; i < 64; i++) {
		if (!(set >> i & 1))
			continue;
		capability__name(i, name);
		if (to != text)
			*to++ = ',';
		for (const char *from = i < NAMES_COUNT ? name + 4 : name; *from; from++)
			*to++ = (char)tolower((unsigned char)*from);
	}
	*to = '\0';
	return text;
}
