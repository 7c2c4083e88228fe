/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program sends. */
struct event {
	int pid;
	char filename[128];
};
