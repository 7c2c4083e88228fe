/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of columns (struct out_column) that are made for a run: others would pay for columns that only an option shows. */
#ifndef PROBELIGHT_COLUMNS_H
#define PROBELIGHT_COLUMNS_H

#include "out.h"

/* A copy of a table with those of another one before the column that has this name, or behind all.  NULL without memory; for free(3). */
struct out_column *columns__insert(const struct out_column *columns, const char *before, const struct out_column *added);

#endif
