/* SPDX-License-Identifier: BSD-2-Clause */
#include "law_workload.h"
#include "tcp_segments.h"

/* A segment with a byte of data, and its acknowledgement, in turn; the number of events is even. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static int from, to;

	(void)writer;
	(void)fail;
	if (!from && tcp_segments_connect(AF_INET, &from, &to))
		law_die("connect");
	if (index % 2 ? tcp_segments_acknowledge(from, to) : tcp_segments_send(from))
		law_die("segment");
	return false;
}
