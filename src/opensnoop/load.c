/* SPDX-License-Identifier: BSD-2-Clause */
/* opens COUNT [WRITERS [RATE]]: opens and closes a file. */
#include "work.h"

static void open_file(void)
{
	close(open(WORK_MARKER, O_RDONLY));
}

int main(int argc, char **argv)
{
	close(open(WORK_MARKER, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	return work__run(argc, argv, NULL, open_file);
}
