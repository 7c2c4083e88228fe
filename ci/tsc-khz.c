/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the frequency of this machine's time stamp counter in kHz, to be given to an emulated guest, whose counter is
 * the same one: on a busy machine the guest's own calibration can be wrong by a factor (seen: 611 instead of 2596 MHz),
 * and with it the guest's clock.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* Both clocks at one moment: of several tries the one that was interrupted least. */
static void sample(uint64_t *ns, uint64_t *tsc)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 50; i++) {
		uint64_t before = __rdtsc(), t = now_ns(), after = __rdtsc();

		if (after - before < best) {
			best = after - before;
			*ns = t;
			*tsc = before + best / 2;
		}
	}
}

int main(void)
{
	struct timespec wait = { .tv_nsec = 50000000 };
	uint64_t ns[2], tsc[2];

	sample(&ns[0], &tsc[0]);
	nanosleep(&wait, NULL);
	sample(&ns[1], &tsc[1]);
	printf("%.0f\n", (double)(tsc[1] - tsc[0]) * 1e6 / (double)(ns[1] - ns[0]));
	return fflush(stdout) != 0;
}
