# SPDX-License-Identifier: BSD-2-Clause
# make bench             our tools and their peers measured in one guest: the table, and bench/results.tsv
# make bench-check       our tools against bench/baseline.tsv; SHORT=1 leaves out what takes long
# make bench-baseline    makes today's figures the baseline
# THINGS="opensnoop hooks" for a part of it.

BENCH_DIR := $(BUILD)/bench
# src/NAME/load.c makes NAME-load, the work that src/NAME/bench measures the tool with.
BENCH_LOADS := $(patsubst %,$(BENCH_DIR)/%-load,$(call with,load.c))
BENCH_WORKLOADS := $(BENCH_LOADS) $(patsubst bench/workload/%.c,$(BENCH_DIR)/%,$(wildcard bench/workload/*.c))
BENCH_CFLAGS = -std=gnu11 -O2 $(WARNINGS) -D_GNU_SOURCE -Ibench -Ibench/workload -I$(BUILD) $(LIBBPF_CFLAGS) -static -s -MMD -MP -MF $@.d

$(BENCH_DIR) $(BENCH_DIR)/slow:
	$(Q)mkdir -p $@

$(BENCH_LOADS): $(BENCH_DIR)/%-load: src/%/load.c | $(BENCH_DIR)
	$(call say,CC,$@)$(CC) $(filter-out $(if $(wildcard $(<:.c=.flags)),-s),$(BENCH_CFLAGS)) $(shell cat $(<:.c=.flags) 2>/dev/null) $< -o $@

$(BENCH_DIR)/%: bench/workload/%.c | $(BENCH_DIR)
	$(call say,CC,$@)$(CC) $(BENCH_CFLAGS) $< -o $@

# the smallest program that can be started
$(BENCH_DIR)/bench-child: bench/workload/bench-child.c | $(BENCH_DIR)
	$(call say,CC,$@)$(CC) $(BENCH_CFLAGS) -nostdlib $< -o $@

$(BENCH_DIR)/measure: bench/measure.c | $(BENCH_DIR)
	$(call say,CC,$@)$(CC) $(BENCH_CFLAGS) $< -o $@

$(BENCH_DIR)/hooks.bpf.o: bench/hooks.bpf.c $(BUILD)/config.mk | $(BENCH_DIR)
	$(call say,BPF,$@)$(CLANG) $(BPF_CFLAGS) $(LIBBPF_CFLAGS) -MMD -MP -MF $@.d -c $< -o $@
	$(Q)$(BPF_STRIP) $(BPF_STRIP_FLAGS) $@

$(BENCH_DIR)/hooks.skel.h: $(BENCH_DIR)/hooks.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name hooks_bpf >$@

$(BENCH_DIR)/hooks: bench/hooks.c $(BENCH_DIR)/hooks.skel.h
	$(call say,CC,$@)$(CC) $(BENCH_CFLAGS) $< $(LIBBPF_LIBS) -o $@

# A tool that does for each row what it need not: for the test that bench-check can fail.
$(BENCH_DIR)/slow/%: $(BUILD)/obj/%/joined.o bench/slow.c $(LIB) | $(BENCH_DIR)/slow
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -s -Wl,--wrap=out__end $< bench/slow.c $(LIB) $(LIBBPF_LIBS) -o $@

.PHONY: bench-programs bench-baseline
bench-programs: $(BENCH_WORKLOADS) $(BENCH_DIR)/measure $(BENCH_DIR)/hooks $(BENCH_DIR)/slow/opensnoop

bench:
	$(Q)ci/deps build guest bench
	$(Q)$(MAKE) -s --no-print-directory all bench-programs
	$(Q)bench/run $(THINGS)

bench-check:
	$(Q)ci/deps build guest
	$(Q)$(MAKE) -s --no-print-directory all bench-programs
	$(Q)bench/run --check $(if $(SHORT),--short) $(THINGS)

bench-baseline:
	$(Q)ci/deps build guest
	$(Q)$(MAKE) -s --no-print-directory all bench-programs
	$(Q)bench/run --baseline $(THINGS)

-include $(wildcard $(BENCH_DIR)/*.d)
