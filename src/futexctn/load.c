/* SPDX-License-Identifier: BSD-2-Clause */
/* futexctn-load COUNT [WRITERS [RATE]]: waits that end at once, as the word has another value. */
#include <linux/futex.h>
#include <sys/syscall.h>

#include "work.h"

static unsigned int word;

static void make(void)
{
	if (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0) != -1)
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, make);
}
