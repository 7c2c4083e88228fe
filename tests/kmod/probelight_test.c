// SPDX-License-Identifier: BSD-2-Clause
/* Fires its events once for each write to /sys/module/probelight_test/parameters/fire. */
#include <linux/cpumask.h>
#include <linux/module.h>

#include "values.h"

#define CREATE_TRACE_POINTS
#include "probelight_test_events.h"

static int fire(const char *value, const struct kernel_param *param)
{
	static const int numbers[] = VALUE_NUMBERS;
	static const unsigned long cpus[BITS_TO_LONGS(NR_CPUS)] = VALUE_CPUS;

	trace_fixed(VALUE_NAME, numbers, &fire, VALUE_NUMBER);
	trace_dynamic(VALUE_STRING, numbers, VALUE_NUMBERS_COUNT, to_cpumask((unsigned long *)cpus), VALUE_LAST);
	trace_relative(VALUE_STRING, numbers, VALUE_NUMBERS_COUNT, to_cpumask((unsigned long *)cpus), VALUE_LAST);
	return 0;
}

static const struct kernel_param_ops fire_ops = { .set = fire };
module_param_cb(fire, &fire_ops, NULL, 0200);

static int __init probelight_test_init(void)
{
	return 0;
}

static void __exit probelight_test_exit(void)
{
}

module_init(probelight_test_init);
module_exit(probelight_test_exit);
MODULE_DESCRIPTION("Trace events with every kind of field");
MODULE_LICENSE("Dual BSD/GPL");
