/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/capability.h>

#include "check.h"
#include "lib/print/capabilities.h"

int main(void)
{
	static const char *const bad[] = { "", "CAP_", "NOSUCH", "64", "-1", "5x", "CAP_5" };
	char name[CAPABILITY_NAME_MAX], text[CAPABILITIES_TEXT_MAX];

	CHECK_STR(capability__name(CAP_CHOWN, name), "CAP_CHOWN");
	CHECK_STR(capability__name(CAP_SYS_ADMIN, name), "CAP_SYS_ADMIN");
	CHECK_STR(capability__name(CAP_CHECKPOINT_RESTORE, name), "CAP_CHECKPOINT_RESTORE");
	CHECK_STR(capability__name(63, name), "63");
	CHECK_STR(capability__name(-2147483647 - 1, name), "-2147483648");
	for (int i = 0; i <= CAP_LAST_CAP; i++)
		CHECK_INT(capability__parse(capability__name(i, name)), i);
	CHECK_INT(capability__parse("net_admin"), CAP_NET_ADMIN);
	CHECK_INT(capability__parse("63"), 63);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!CHECK(capability__parse(bad[i]) == -EINVAL))
			fprintf(stderr, "    of \"%s\"\n", bad[i]);
	CHECK_STR(capabilities__text(0, text), "none");
	CHECK_STR(capabilities__text((1ULL << (CAP_CHECKPOINT_RESTORE + 1)) - 1, text), "all");
	CHECK_STR(capabilities__text(1ULL << CAP_KILL | 1ULL << CAP_BPF | 1ULL << 63, text), "kill,bpf,63");
	/* the longest */
	CHECK(strlen(capabilities__text(~0ULL, text)) < sizeof(text));
	return check_done();
}
