/* SPDX-License-Identifier: BSD-2-Clause */
/* What the module puts into its events, and what a program must read. */
#ifndef VALUES_H
#define VALUES_H

#define VALUE_NUMBER 42
#define VALUE_NAME "static"
#define VALUE_NUMBERS { 11, -22, 33333333 }
#define VALUE_NUMBERS_COUNT 3
#define VALUE_STRING "a dynamic string, longer than sixteen"
#define VALUE_CPUS { 0x8000000000000005ULL, 0x3ULL }	/* 0, 2, 63, 64, 65 */
#define VALUE_LAST 0x12345678

#endif
