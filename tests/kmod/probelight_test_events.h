/* SPDX-License-Identifier: BSD-2-Clause */
/* Events with every kind of field that a record can have; probelight_test.c fires them with the values of values.h. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM probelight-test
/* a name with "-" is no C identifier */
#define TRACE_SYSTEM_VAR probelight_test

#if !defined(PROBELIGHT_TEST_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define PROBELIGHT_TEST_EVENTS_H

#include <linux/tracepoint.h>

/* Fixed fields: numbers of all sizes and signs, a pointer, a static string, an array, a struct. */
TRACE_EVENT(fixed,
	TP_PROTO(const char *name, const int *numbers, void *pointer, int number),
	TP_ARGS(name, numbers, pointer, number),
	TP_STRUCT__entry(
		__field(s8, tiny)
		__array(char, name, 10)
		__field(u16, small)
		__array(int, numbers, 3)
		__field(bool, yes)
		__field(void *, pointer)
		__field(long long, large)
		__field_struct(struct list_head, list)
		__field(unsigned char, last)
	),
	TP_fast_assign(
		__entry->tiny = -number;
		strscpy(__entry->name, name, sizeof(__entry->name));
		__entry->small = number + 60000;
		memcpy(__entry->numbers, numbers, sizeof(__entry->numbers));
		__entry->yes = true;
		__entry->pointer = pointer;
		__entry->large = -number * 1000000000LL;
		__entry->list.next = pointer;
		__entry->list.prev = NULL;
		__entry->last = number;
	),
	TP_printk("%d %s %u %d %d", __entry->tiny, __entry->name, __entry->small, __entry->yes, __entry->last)
);

/* __data_loc: chars, ints, a cpumask, an empty array; a fixed field behind them. */
TRACE_EVENT(dynamic,
	TP_PROTO(const char *string, const int *numbers, int count, const struct cpumask *cpus, int last),
	TP_ARGS(string, numbers, count, cpus, last),
	TP_STRUCT__entry(
		__string(string, string)
		__dynamic_array(int, numbers, count)
		__bitmask(cpus, 128)
		__dynamic_array(u8, nothing, 0)
		__field(int, last)
	),
	TP_fast_assign(
		__assign_str(string, string);
		memcpy(__get_dynamic_array(numbers), numbers, count * sizeof(int));
		__assign_bitmask(cpus, cpumask_bits(cpus), 128);
		__entry->last = last;
	),
	TP_printk("%s %s %s %d", __get_str(string), __print_array(__get_dynamic_array(numbers),
		  __get_dynamic_array_len(numbers) / 4, 4), __get_bitmask(cpus), __entry->last)
);

/* __rel_loc, the same (since 5.17). */
TRACE_EVENT(relative,
	TP_PROTO(const char *string, const int *numbers, int count, const struct cpumask *cpus, int last),
	TP_ARGS(string, numbers, count, cpus, last),
	TP_STRUCT__entry(
		__rel_string(string, string)
		__rel_dynamic_array(int, numbers, count)
		__rel_bitmask(cpus, 128)
		__field(int, last)
	),
	TP_fast_assign(
		__assign_rel_str(string, string);
		memcpy(__get_rel_dynamic_array(numbers), numbers, count * sizeof(int));
		__assign_rel_bitmask(cpus, cpumask_bits(cpus), 128);
		__entry->last = last;
	),
	TP_printk("%s %s %s %d", __get_rel_str(string), __print_array(__get_rel_dynamic_array(numbers),
		  __get_rel_dynamic_array_len(numbers) / 4, 4), __get_rel_bitmask(cpus), __entry->last)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE probelight_test_events
#include <trace/define_trace.h>
