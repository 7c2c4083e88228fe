/* SPDX-License-Identifier: BSD-2-Clause */
#define SWITCHES_AWAY
#include "switches.h"
