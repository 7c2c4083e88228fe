/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include "ringbuf.h"
#include "ringbuf.skel.h"

static volatile sig_atomic_t is_over;

static void end(int signal)
{
	is_over = signal;
}

static int print(void *context, void *data, size_t size)
{
	const struct event *event = data;

	printf("%-7d %s\n", event->pid, event->filename);
	fflush(stdout);
	return 0;
}

int main(void)
{
	struct sigaction action = { .sa_handler = end };
	struct ring_buffer *ring = NULL;
	struct ringbuf_bpf *skel;

	libbpf_set_print(NULL);		/* what it would say is for those who debug libbpf */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	skel = ringbuf_bpf__open_and_load();
	if (skel && !ringbuf_bpf__attach(skel))
		ring = ring_buffer__new(bpf_map__fd(skel->maps.events), print, NULL, NULL);
	if (!ring) {
		perror("ringbuf: cannot be loaded or attached (run it with sudo)");
		return 1;
	}
	puts("PID     PROGRAM");
	fflush(stdout);
	while (!is_over)
		ring_buffer__poll(ring, -1);	/* a signal ends it too: -EINTR */
	ring_buffer__free(ring);
	ringbuf_bpf__destroy(skel);
	return 0;
}
