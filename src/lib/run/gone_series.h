/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Series of cgroups that are gone: kept until their last total has been written, then added to "(others)", so that no total falls and nothing
 * grows where cgroups come and go for weeks.  One that comes back begins at 0, as after a restart.
 */
#ifndef PROBELIGHT_GONE_SERIES_H
#define PROBELIGHT_GONE_SERIES_H

struct metric_totals;

/*
 * Before a text is written: folds the series that have a label of a cgroup (unit, slice, container_id, pod_uid), got nothing since the last
 * text, and fit no cgroup of the mounted hierarchy.  Where that cannot be read, none.  Reading it takes a tenth of a CPU at most: else it
 * waits for a later text.  0 or -ENOMEM.
 */
int gone_series__fold(struct metric_totals *totals);

#endif
