// SPDX-License-Identifier: BSD-2-Clause
/*
 * Interrupt lines of no device, whose handlers have names of 63, 64 and 100 bytes.  The last line is shared with a handler whose device
 * it never was.
 * N written to /sys/module/probelight_irqs/parameters/fire: each line has N interrupts.  The parameter "first" is the number of the first line;
 * the others follow.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/module.h>

#define LINES 3

static const int sizes[LINES] = { 63, 64, 100 };
static char names[LINES][128];
static int first, others;
module_param(first, int, 0444);

static irqreturn_t handle(int irq, void *data) { return IRQ_HANDLED; }
static irqreturn_t ignore(int irq, void *data) { return IRQ_NONE; }

static int fire(const char *value, const struct kernel_param *param)
{
	unsigned long flags;
	int count, err = kstrtoint(value, 0, &count);

	if (err)
		return err;
	for (int i = 0; i < LINES * count; i++) {
		local_irq_save(flags);
		generic_handle_irq(first + i % LINES);
		local_irq_restore(flags);
	}
	return 0;
}

static const struct kernel_param_ops fire_ops = { .set = fire };
module_param_cb(fire, &fire_ops, NULL, 0200);

static void give_back(int requested)
{
	for (int i = 0; i < requested; i++)
		free_irq(first + i, names[i]);
	irq_free_descs(first, LINES);
}

static int __init probelight_irqs_init(void)
{
	int err;

	first = irq_alloc_descs(-1, 0, LINES, 0);
	if (first < 0)
		return first;
	for (int i = 0; i < LINES; i++) {
		memset(names[i], 'a' + i, sizes[i]);
		irq_set_chip_and_handler(first + i, &dummy_irq_chip, handle_simple_irq);
		irq_clear_status_flags(first + i, IRQ_NOREQUEST);
		err = request_irq(first + i, handle, IRQF_SHARED, names[i], names[i]);
		if (err) {
			give_back(i);
			return err;
		}
	}
	err = request_irq(first + LINES - 1, ignore, IRQF_SHARED, "nobody's", &others);
	if (err)
		give_back(LINES);
	return err;
}

static void __exit probelight_irqs_exit(void)
{
	free_irq(first + LINES - 1, &others);
	give_back(LINES);
}

module_init(probelight_irqs_init);
module_exit(probelight_irqs_exit);
MODULE_DESCRIPTION("Interrupt lines with long names");
MODULE_LICENSE("Dual BSD/GPL");
