/* SPDX-License-Identifier: BSD-2-Clause */
/* 0.1 ms: the events must last for more than one interval */
#define LAW_COMPLETION_NS "100000"
#include "disk_law.h"
