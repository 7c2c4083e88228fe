/* SPDX-License-Identifier: BSD-2-Clause */
#include "disk_law.h"
