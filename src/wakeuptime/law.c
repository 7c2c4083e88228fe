/* SPDX-License-Identifier: BSD-2-Clause */
#define SWITCHES_ASLEEP
#include "switches.h"
