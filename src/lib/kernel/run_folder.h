/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory for what the processes of all tools must find, and no boot may leave to the next one: locks, and who has files of tracefs.
 * /run/probelight; where /run is read-only or absent, as in some containers, /dev/probelight; where /dev is, too, /dev/shm/probelight.
 */
#ifndef PROBELIGHT_RUN_FOLDER_H
#define PROBELIGHT_RUN_FOLDER_H

#include <stddef.h>

/* The directory, made if it is not there: the first that can be written, or /run/probelight where none can.  Found once in a process. */
const char *run_folder__path(void);

/* All of them, from 0, the first one preferred; NULL behind the last. */
const char *run_folder__at(size_t index);

#endif
