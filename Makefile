# SPDX-License-Identifier: BSD-2-Clause
# make               all tools into build/
# make run           set up, boot a guest, run opensnoop there   (TOOL="unlinksnoop -T", KERNEL=6.1)
# make test          set up, run the tests                       (KERNELS="6.1 7.2" TOOLS=opensnoop; FULL=1 runs everything)
# make new TOOL=x    a new tool from the template   (KIND=count: one that prints sums; kprobe, kretprobe, ksyscall, printk)
# make install       copy what make built to PREFIX=/usr/local   (sudo; make uninstall removes it)
# make deb           a Debian package                          (make release: the programs as a tarball; make dist: the sources)
# make bench         what the tools cost, beside others          (bench/README.md)
# make ARCH=arm64    the same programs for arm64, into build/arm64 (`ci/deps cross` first; make ARCH=arm64 bpf: the BPF side alone, with no
#                    compiler but clang)
# V=1 shows the commands.

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SUFFIXES:

CLANG ?= clang
BPF_STRIP ?= $(shell command -v llvm-strip 2>/dev/null || ls -1 /usr/bin/llvm-strip-* 2>/dev/null | sort -V | tail -1)
# Besides what debuggers read: relocations of the type information, which libbpf ignores, and the labels of basic blocks, most of the
# symbols, which it compares with each name that it looks for (0.15 to 0.5 M instructions of a start, 6.1).
BPF_STRIP_FLAGS := -g -R .rel.BTF -R .rel.BTF.ext -R .llvm_addrsig -w -N 'LBB*'
# ARCH is the tools' architecture: this machine's, or that of CC where CC is named.  For another one than this machine's the compiler is
# CROSS_COMPILE with gcc appended: what ci/deps unpacked, or one that is installed.
arch_of = $(shell echo '$(1)' | sed -e 's/-.*//' -e 's/x86_64/x86/' -e 's/aarch64/arm64/')
HOST_ARCH := $(call arch_of,$(shell uname -m))
ifneq ($(origin ARCH),command line)
ARCH := $(if $(filter default,$(origin CC)),,$(call arch_of,$(shell $(CC) -dumpmachine 2>/dev/null)))
ARCH := $(or $(ARCH),$(HOST_ARCH))
endif
BUILD := $(if $(filter $(ARCH),$(HOST_ARCH)),build,build/$(ARCH))
ifneq ($(ARCH),$(HOST_ARCH))
TRIPLET := $(patsubst arm64,aarch64,$(patsubst x86,x86_64,$(ARCH)))-linux-gnu-
CACHE := $(or $(PROBELIGHT_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/probelight)
CROSS_COMPILE ?= $(or $(patsubst %gcc,%,$(if $(filter default,$(origin CC)),$(wildcard $(CACHE)/cross/$(ARCH)/cross/$(TRIPLET)gcc),$(CC))),$(TRIPLET))
LD := $(CROSS_COMPILE)ld
OBJCOPY ?= $(CROSS_COMPILE)objcopy
endif
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
CC_MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
CC_ARCH := $(call arch_of,$(CC_MACHINE))
# For programs that run while the tools are made.
HOSTCC ?= $(if $(filter $(HOST_ARCH),$(CC_ARCH)),$(CC),gcc)

WARNINGS := -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Wshadow -Wpointer-arith -Wstrict-prototypes
ifneq ($(CI)$(WERROR),)
WARNINGS += -Werror
endif
CFLAGS ?= -O2 -g
# The tools read files of all users as root.  What CFLAGS says of these, it says after them.
HARDENING := -fstack-protector-strong -fstack-clash-protection $(if $(filter x86,$(ARCH)),-fcf-protection)
ifeq ($(findstring _FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS)),)
HARDENING += $(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif
# STATIC: -static-pie where the compiler and all libraries can, else -static (libbpf/find).
PIE = $(if $(filter -static-pie,$(STATIC)),-fPIE)
ALL_CFLAGS = -std=gnu11 $(HARDENING) $(PIE) $(CFLAGS) $(WARNINGS) -Isrc -I$(BUILD) -I$(BUILD)/skel $(LIBBPF_CFLAGS) -D_GNU_SOURCE \
	-ffunction-sections -fdata-sections
ALL_LDFLAGS = $(STATIC) -Wl,--gc-sections -Wl,-z,relro,-z,now $(LDFLAGS)
BPF_CFLAGS := -target bpf -D__TARGET_ARCH_$(ARCH) -mcpu=v3 -O2 -g -std=gnu11 -Wall -Wextra -Wno-unused-parameter \
	-Wno-missing-declarations -fdebug-compilation-dir=. -Isrc -Ivmlinux/$(ARCH) -Isrc/lib/bpf/libc

# glibc has argp; elsewhere it is a library of its own (argp-standalone).
ARGP_LIBS := $(if $(findstring musl,$(CC_MACHINE)),-largp)

, := ,
Q := @
say = @printf '  %-8s %s\n' '$(1)' '$(2)';
ifneq ($(V),)
Q :=
say :=
endif

# A tool is a directory: src/NAME/NAME.c has its main, src/NAME/NAME.bpf.c is the BPF side if there is one; what other C files there are is
# the tool's, too, but law.c and load.c, which are programs.  Nothing lists them.
with = $(foreach name,$(patsubst src/%/,%,$(wildcard src/*/)),$(if $(wildcard src/$(name)/$(subst NAME,$(name),$(1))),$(name)))
ALL_TOOLS := $(call with,NAME.c)
sources = $(filter-out %.bpf.c src/$(1)/law.c src/$(1)/load.c,$(sort $(wildcard src/$(1)/*.c)))
# $(call objects,KIND,NAME): the tool's in build/KIND
objects = $(patsubst src/%.c,$(BUILD)/$(1)/%.o,$(call sources,$(2)))
BPF_TOOLS := $(call with,NAME.bpf.c)
EXAMPLES := $(patsubst src/examples/%.bpf.c,%,$(wildcard src/examples/*.bpf.c))
TOOL_PAGES := $(wildcard $(foreach name,$(ALL_TOOLS),src/$(name)/$(name).[1-8]))
PAGES := $(wildcard man/*.[1-8]) $(TOOL_PAGES)
LIB := $(BUILD)/lib/libprobelight.a
LIB_OBJECTS := $(patsubst src/lib/%.c,$(BUILD)/lib/%.o,$(filter-out %.bpf.c,$(wildcard src/lib/*/*.c)))
LIB_ROOMS := $(patsubst src/lib/%/,%,$(sort $(dir $(wildcard src/lib/*/*.c))))

.PHONY: all bpf
# The completions and the pages are made by running the tools.
all: $(addprefix $(BUILD)/,$(ALL_TOOLS) $(EXAMPLES) probelight) $(if $(filter $(ARCH),$(HOST_ARCH)),pages)
bpf: $(patsubst %,$(BUILD)/bpf/%.bpf.o,$(BPF_TOOLS) $(EXAMPLES))

# Where libbpf and bpftool are, and with what all is made.  Looked for each time, LIBBPF and BPFTOOL may name others; touched
# only if something is another one.
$(BUILD)/config.mk: FORCE | $(BUILD)/
	$(Q)new=$@.$$$$; { CC='$(if $(filter $(ARCH),$(CC_ARCH)),$(CC),$(HOSTCC))' libbpf/find && bpftool/find && echo "# $(CC) $(HARDENING) $(CFLAGS) $(LDFLAGS), $(CLANG) $(BPF_CFLAGS), $(BPF_STRIP_FLAGS)"; } >$$new || \
		{ rm -f $$new; exit 1; }; if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi
	$(Q)new=$(BUILD)/tools.$$$$; echo '$(ALL_TOOLS)' >$$new; if cmp -s $$new $(BUILD)/tools; then rm $$new; else mv $$new $(BUILD)/tools; fi
.PHONY: FORCE
FORCE:
# What makes programs needs a compiler of their architecture.
GOALS := $(or $(MAKECMDGOALS),all)
COMPILES := $(filter-out bpf clean deps run test bench bench-check new help bench-baseline install uninstall dist release deb vmlinux $(BUILD)/bpf/%,$(GOALS))
ifneq ($(COMPILES),)
ifneq ($(CC_ARCH),$(ARCH))
$(error $(if $(CC_MACHINE),CC=$(CC) makes programs for $(CC_ARCH)$(,) not for ARCH=$(ARCH): leave CC out or name one for $(ARCH),$(strip \
	there is no compiler '$(CC)' for ARCH=$(ARCH): run `ci/deps cross`$(,) or name one with CC or CROSS_COMPILE)))
endif
endif
# Goals that compile nothing by themselves.
ifneq ($(filter-out clean deps run test bench bench-check new help bench-baseline install uninstall dist release deb,$(or $(MAKECMDGOALS),all)),)
include $(BUILD)/config.mk
endif
# The names of all tools; written with config.mk.
$(BUILD)/tools: ;

$(addprefix $(BUILD),/ /bpf /skel /obj /one /workload /unit /sanitized /fuzz /replay /kasan $(addprefix /lib/,$(LIB_ROOMS)) $(addprefix /unit/lib/,$(LIB_ROOMS)) \
	$(addprefix /fuzz/lib/,$(LIB_ROOMS)) /obj/examples $(addprefix /obj/,$(ALL_TOOLS)) $(addprefix /unit/obj/,$(ALL_TOOLS))):
	$(Q)mkdir -p $@

# $$(*D), $$(@D): of the file at hand
.SECONDEXPANSION:

# BPF side
compile_bpf = $(call say,BPF,$@)$(CLANG) $(BPF_CFLAGS) $(filter -Werror,$(WARNINGS)) $(1) $(LIBBPF_CFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
BPF_OBJCOPY = $(subst llvm-strip,llvm-objcopy,$(BPF_STRIP))
strip_bpf = $(BPF_STRIP) $(BPF_STRIP_FLAGS) $@ && $(BPF_OBJCOPY) --dump-section .BTF.ext=$@.ext $@ && $(BUILD)/drop-lines $@.ext && \
	$(BPF_OBJCOPY) --update-section .BTF.ext=$@.ext $@ && rm -f $@.ext

$(BUILD)/drop-lines: bpftool/drop-lines.c | $(BUILD)/
	$(call say,CC,$@)$(HOSTCC) $(WARNINGS) -O1 $< -o $@

$(addprefix $(BUILD)/bpf/,$(addsuffix .bpf.o,$(BPF_TOOLS))): $(BUILD)/bpf/%.bpf.o: src/$$*/$$*.bpf.c $(BUILD)/config.mk $(BUILD)/drop-lines | $(BUILD)/bpf
	$(compile_bpf)
	$(Q)$(strip_bpf)

$(addprefix $(BUILD)/bpf/,$(addsuffix .bpf.o,$(EXAMPLES))): $(BUILD)/bpf/%.bpf.o: src/examples/%.bpf.c $(BUILD)/config.mk $(BUILD)/drop-lines | $(BUILD)/bpf
	$(compile_bpf)
	$(Q)$(strip_bpf)

# Programs of a tool besides those of NAME.bpf.c, src/TOOL/NAME.bpf.c, and what includes their skeleton.
TOOL_BPF := between
$(TOOL_BPF:%=$(BUILD)/bpf/%.bpf.o): $(BUILD)/bpf/%.bpf.o: $$(wildcard src/*/$$*.bpf.c) $(BUILD)/config.mk $(BUILD)/drop-lines | $(BUILD)/bpf
	$(compile_bpf)
	$(Q)$(strip_bpf)

$(foreach kind,obj unit/obj,$(BUILD)/$(kind)/anysnoop/between.o $(BUILD)/$(kind)/anysnoop/between_rows.o $(BUILD)/$(kind)/anysnoop/anysnoop.o): $(BUILD)/skel/between.skel.h

# The library's own programs.
LIB_BPF := cgroup_follow cgroup_removed children stack_namer
$(LIB_BPF:%=$(BUILD)/bpf/%.bpf.o): $(BUILD)/bpf/%.bpf.o: $$(wildcard src/lib/*/$$*.bpf.c) $(BUILD)/config.mk $(BUILD)/drop-lines | $(BUILD)/bpf
	$(compile_bpf)
	$(Q)$(strip_bpf)

# A .d file of an earlier build may name one that has moved since.
src/lib/%.bpf.c: ;

$(foreach kind,lib unit/lib fuzz/lib,$(BUILD)/$(kind)/run/cgroup_follow.o): $(BUILD)/skel/cgroup_follow.skel.h
$(foreach kind,lib unit/lib fuzz/lib,$(BUILD)/$(kind)/run/cgroup_removed.o): $(BUILD)/skel/cgroup_removed.skel.h
$(foreach kind,lib unit/lib fuzz/lib,$(BUILD)/$(kind)/run/children.o): $(BUILD)/skel/children.skel.h
$(foreach kind,lib unit/lib fuzz/lib,$(BUILD)/$(kind)/stacks/row_stacks.o): $(BUILD)/skel/stack_namer.skel.h

$(BUILD)/skel/%.skel.h: $(BUILD)/bpf/%.bpf.o packaging/record-layout | $(BUILD)/skel
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name $(subst -,_,$*)_bpf >$@
	$(Q)packaging/record-layout $* $(BUILD)/bpf/$*.bpf.d >>$@

# The types of JSON's keys, for --schema.
$(BUILD)/skel/json_types.h: packaging/json-types docs/json.md | $(BUILD)/skel
	$(Q)packaging/json-types >$@.new && mv $@.new $@

$(foreach kind,lib unit/lib fuzz/lib,$(BUILD)/$(kind)/print/json_schema.o): $(BUILD)/skel/json_types.h

# user side
$(BUILD)/lib/%.o: src/lib/%.c $(BUILD)/config.mk | $$(@D)
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(LIB): $(LIB_OBJECTS)
	$(call say,AR,$@)rm -f $@; ar rcs $@ $^

# Not optimized at link time, whatever CFLAGS says: objcopy renames main in them (below).
$(BUILD)/obj/%.o: src/%.c $(BUILD)/config.mk | $$(@D)
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -fno-lto -MMD -MP -c $< -o $@

# A tool includes its skeleton; from then on the .d file says which of its files does.
$(foreach kind,obj unit/obj,$(foreach name,$(BPF_TOOLS),$(eval $(call objects,$(kind),$(name)): | $(BUILD)/skel/$(name).skel.h)))
$(foreach name,$(EXAMPLES),$(eval $(BUILD)/obj/examples/$(name).o: | $(BUILD)/skel/$(name).skel.h))

# A tool's objects as one.
$(patsubst %,$(BUILD)/obj/%/joined.o,$(ALL_TOOLS)): $(BUILD)/obj/%/joined.o: $$(call objects,obj,$$*)
	$(Q)$(LD) -r $^ -o $@

# lib/gen/prog_load.h, lib/gen/questions.h
WRAP := $(foreach name,bpf_prog_load bpf_map_create bpf_prog_bind_map,-Wl$(,)--wrap=$(name) -Wl$(,)-u$(,)__wrap_$(name))
link = $(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -s $(WRAP) $< $(LIB) $(LIBBPF_LIBS) $(ARGP_LIBS) -o $@
$(addprefix $(BUILD)/,$(ALL_TOOLS)): $(BUILD)/%: $(BUILD)/obj/%/joined.o $(LIB)
	$(link)

$(addprefix $(BUILD)/,$(EXAMPLES)): $(BUILD)/%: $(BUILD)/obj/examples/%.o $(LIB)
	$(link)

# All tools in one program.  A tool's main is renamed, and every other symbol of it made local, so that no two can clash.
OBJCOPY ?= objcopy
$(patsubst %,$(BUILD)/one/%.tool.o,$(ALL_TOOLS)): $(BUILD)/one/%.tool.o: $(BUILD)/obj/%/joined.o | $(BUILD)/one
	$(Q)$(OBJCOPY) --redefine-sym main=$*_main --keep-global-symbol=$*_main $< $@

$(BUILD)/one/table.c: src/one/table src/one/questions src/one/views src/one/elsewhere $(foreach name,$(ALL_TOOLS),$(wildcard src/$(name)/$(name).[1-8])) $(BUILD)/tools | $(BUILD)/one
	$(Q)src/one/table $(ALL_TOOLS) >$@

$(BUILD)/one/%.main.o: src/one/%.c $(BUILD)/config.mk | $(BUILD)/one
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/one/table.main.o: $(BUILD)/one/table.c src/one/one.h
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -c $< -o $@

ONE_OBJECTS := $(BUILD)/one/main.main.o $(BUILD)/one/table.main.o $(ALL_TOOLS:%=$(BUILD)/one/%.tool.o)
$(BUILD)/probelight: $(ONE_OBJECTS) $(LIB)
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -s $(WRAP) $(ONE_OBJECTS) $(LIB) $(LIBBPF_LIBS) $(ARGP_LIBS) -o $@

# Tests' own programs: workloads for the guest (static), unit tests for the host (sanitized, with the lib's sources).
# A tool's own are in its folder: src/NAME/law.c makes law_NAME, src/NAME/workload/X.c makes X, src/NAME/unit/X.c makes unit/NAME_X.
LAWS := $(addprefix $(BUILD)/workload/law_,$(call with,law.c))
TOOL_WORKLOADS := $(addprefix $(BUILD)/workload/,$(notdir $(basename $(wildcard src/*/workload/*.c))))
WORKLOADS := $(LAWS) $(TOOL_WORKLOADS) \
	$(patsubst tests/workload/%.c,$(BUILD)/workload/%,$(filter-out %.bpf.c,$(wildcard tests/workload/*.c)))
# two of one name would be one program
WORKLOADS_TWICE := $(foreach name,$(sort $(notdir $(WORKLOADS))),$(if $(word 2,$(filter %/$(name),$(WORKLOADS))),$(name)))
ifneq ($(strip $(WORKLOADS_TWICE)),)
$(error workloads of two tools have the same name: $(strip $(WORKLOADS_TWICE)))
endif
WORKLOADS_BPF := $(patsubst tests/workload/%.bpf.c,$(BUILD)/workload/%,$(wildcard tests/workload/*.bpf.c))
TOOL_UNIT_SOURCES := $(wildcard src/*/unit/*.c)
UNIT := $(patsubst src/%.c,$(BUILD)/unit/%,$(subst /unit/,_,$(TOOL_UNIT_SOURCES))) $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(filter-out %.bpf.c,$(wildcard tests/unit/*.c)))
FUZZ := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*.c))
UNIT_LIB := $(BUILD)/unit/lib/libprobelight.a
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -U_FORTIFY_SOURCE
UNIT_LIBS_format_agree := -ltraceevent
UNIT_LIBS_print_agree := -ltraceevent
UNIT_LIBS_ftrace_page := -ltraceevent

WORKLOADS += $(if $(wildcard src/runqlat),$(BUILD)/workload/gate_readdelete)
WORKLOADS += $(if $(wildcard src/killsnoop),$(BUILD)/workload/killsnoop_kasan)

# Those that are for x86-64 alone are not there elsewhere.
X86_WORKLOADS := $(addprefix $(BUILD)/workload/,fault many_calls return_slot stop_here user_harm user_go)
ifneq ($(ARCH),x86)
WORKLOADS := $(filter-out $(X86_WORKLOADS),$(WORKLOADS))
endif
# One is C++, which the machine need not have.
WORKLOADS += $(if $(filter $(ARCH),$(if $(filter x86_64,$(shell uname -m)),x86)),$(if $(shell command -v g++ 2>/dev/null),$(BUILD)/workload/cxx_throws))
# 32-bit programs of arm64 need no C library.
WORKLOADS += $(if $(filter arm64,$(ARCH)),$(BUILD)/workload/arm32_calls)
LLD ?= $(or $(shell command -v ld.lld 2>/dev/null),$(CACHE)/cross/$(ARCH)/usr/bin/ld.lld)

.PHONY: workloads unit fuzz
workloads: $(WORKLOADS)
unit: $(UNIT)
fuzz: $(FUZZ)

# One that has a file NAME.flags beside it keeps its symbols, and is compiled with the flags in there.
workload_flags = $(if $(wildcard $(<:.c=.flags)),$(shell cat $(<:.c=.flags)),-s)
compile_workload = $(call say,CC,$@)$(CC) -std=gnu11 -O2 $(WARNINGS) -D_GNU_SOURCE -Itests/workload -static $(workload_flags) -pthread \
	-MMD -MP -MF $@.d $< -o $@

$(LAWS): $(BUILD)/workload/law_%: src/%/law.c | $(BUILD)/workload
	$(compile_workload)

$(TOOL_WORKLOADS): $(BUILD)/workload/%: $$(wildcard src/*/workload/$$*.c) | $(BUILD)/workload
	$(compile_workload)

$(BUILD)/workload/%: tests/workload/%.c | $(BUILD)/workload
	$(compile_workload)

$(BUILD)/workload/cxx_throws: src/throwsnoop/workload/cxx_throws.cc | $(BUILD)/workload
	$(call say,CXX,$@)g++ -O2 -Wall -Wextra $< -o $@

$(BUILD)/workload/arm32_calls: tests/workload/arm32/arm32_calls.c | $(BUILD)/workload
	$(call say,CC,$@)$(CLANG) --target=arm-linux-gnueabi -march=armv7-a -marm -O1 $(WARNINGS) -nostdlib -static -Wno-unused-command-line-argument \
		--ld-path=$(LLD) $< -o $@

# Those with a BPF side of their own have the lib, too.
$(BUILD)/workload/%.bpf.o: tests/workload/%.bpf.c $(BUILD)/config.mk $(BUILD)/drop-lines | $(BUILD)/workload
	$(call compile_bpf,-Itests)
	$(Q)$(strip_bpf)

$(BUILD)/workload/%.skel.h: $(BUILD)/workload/%.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name $*_bpf >$@

$(WORKLOADS_BPF): $(BUILD)/workload/%: tests/workload/%.c $(BUILD)/workload/%.skel.h $(LIB)
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(workload_flags) -MMD -MP -MF $@.d $< $(LIB) $(LIBBPF_LIBS) -o $@

# killsnoop that takes stacks to be larger than they are, as it takes them to be smaller on a kernel with KASAN.
$(BUILD)/kasan/killsnoop.bpf.o: src/killsnoop/killsnoop.bpf.c $(BUILD)/config.mk $(BUILD)/drop-lines | $(BUILD)/kasan
	$(call compile_bpf,-DARCH_STACK_SIZE=65536)
	$(Q)$(strip_bpf)

$(BUILD)/kasan/killsnoop.skel.h: $(BUILD)/kasan/killsnoop.bpf.o packaging/record-layout
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name killsnoop_bpf >$@
	$(Q)packaging/record-layout killsnoop $(BUILD)/kasan/killsnoop.bpf.d >>$@

$(BUILD)/workload/killsnoop_kasan: $(call sources,killsnoop) $(BUILD)/kasan/killsnoop.skel.h $(LIB) | $(BUILD)/workload
	$(call say,CC,$@)$(CC) -I$(BUILD)/kasan $(ALL_CFLAGS) $(ALL_LDFLAGS) -s -MMD -MP -MF $@.d $(filter %.c,$^) $(LIB) $(LIBBPF_LIBS) $(ARGP_LIBS) \
		-o $@

# runqlat that reads and deletes: for the gate that the law of tools that count can fail.
$(BUILD)/workload/gate_readdelete: $(BUILD)/obj/runqlat/joined.o tests/gates/readdelete.c $(LIB) | $(BUILD)/workload
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -s -Wl,--wrap=table__cut $< tests/gates/readdelete.c $(LIB) \
		$(LIBBPF_LIBS) $(ARGP_LIBS) -o $@

# Of a module's events, against the header that ctxgen writes in a guest (tests/host/kmod, which makes this).
$(BUILD)/kmod/%.bpf.o: tests/kmod/%.bpf.c $(BUILD)/kmod/ctx.h $(BUILD)/config.mk $(BUILD)/drop-lines
	$(call compile_bpf,-I$(BUILD)/kmod)
	$(Q)$(strip_bpf)

$(BUILD)/kmod/%.skel.h: $(BUILD)/kmod/%.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name $*_bpf >$@

$(BUILD)/kmod/%: tests/kmod/%.c $(BUILD)/kmod/%.skel.h $(LIB)
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -s -I$(BUILD)/kmod $< $(LIB) $(LIBBPF_LIBS) -o $@

$(BUILD)/unit/lib/%.o: src/lib/%.c $(BUILD)/config.mk | $$(@D)
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -O0 $(SANITIZE) -MMD -MP -c $< -o $@

$(BUILD)/unit/obj/%.o: src/%.c $(BUILD)/config.mk | $$(@D)
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -O0 $(SANITIZE) -MMD -MP -c $< -o $@

$(UNIT_LIB): $(LIB_OBJECTS:$(BUILD)/lib/%=$(BUILD)/unit/lib/%)
	$(call say,AR,$@)rm -f $@; ar rcs $@ $^

$(BUILD)/unit/%: tests/unit/%.c $(UNIT_LIB) | $(BUILD)/unit
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -DUNIT_FOLDER='"$(@D)"' -O0 $(SANITIZE) -MMD -MP -MF $@.d $< $(UNIT_LIB) $(LIBBPF_LIBS) $(ARGP_LIBS) \
		$(UNIT_LIBS_$*) -o $@

# Those of a tool have its objects, but the one with main: $(call tool_unit,NAME,X)
define tool_unit
$(BUILD)/unit/$(1)_$(2): src/$(1)/unit/$(2).c $(filter-out %/$(1).o,$(call objects,unit/obj,$(1))) $(UNIT_LIB) | $(BUILD)/unit
	$$(call say,CC,$$@)$$(CC) $$(ALL_CFLAGS) -Itests/unit -O0 $$(SANITIZE) -MMD -MP -MF $$@.d $$(filter-out %.h,$$^) $$(LIBBPF_LIBS) $$(ARGP_LIBS) -o $$@
endef
$(foreach source,$(TOOL_UNIT_SOURCES),$(eval $(call tool_unit,$(word 2,$(subst /, ,$(source))),$(basename $(notdir $(source))))))

# Tools under the sanitizers, for faults on purpose (tests/host/sanitized).  These need the C library's files in the guest.
SANITIZED := $(addprefix $(BUILD)/sanitized/,$(BPF_TOOLS))
.PHONY: sanitized
sanitized: $(SANITIZED)
$(SANITIZED): $(BUILD)/sanitized/%: $$(call objects,unit/obj,$$*) $(UNIT_LIB) | $(BUILD)/sanitized
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) -O0 $(SANITIZE) -static-libasan -static-libubsan $^ $(LIBBPF_LIBS) $(ARGP_LIBS) -o $@

# An object that a unit test reads; nothing loads it.
$(BUILD)/unit/%.bpf.o: tests/unit/%.bpf.c $(BUILD)/config.mk | $(BUILD)/unit
	$(compile_bpf)

$(patsubst tests/unit/%.bpf.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.bpf.c)): $(BUILD)/unit/%: $(BUILD)/unit/%.bpf.o

# Fuzz targets have the lib's sources, too, with what libFuzzer needs to see which branches an input takes.
FUZZ_LIB := $(BUILD)/fuzz/lib/libprobelight.a
FUZZ_SANITIZE := address,undefined -fno-sanitize-recover=all -U_FORTIFY_SOURCE
# the command line: exit() goes on with the next input, and messages are not printed
FUZZ_FLAGS_options := -Wl,--wrap=exit,--wrap=say,--wrap=vsay

$(BUILD)/fuzz/lib/%.o: src/lib/%.c $(BUILD)/config.mk | $$(@D)
	$(call say,CC,$@)$(CLANG) $(ALL_CFLAGS) -O1 -fsanitize=fuzzer-no-link,$(FUZZ_SANITIZE) -MMD -MP -c $< -o $@

$(FUZZ_LIB): $(LIB_OBJECTS:$(BUILD)/lib/%=$(BUILD)/fuzz/lib/%)
	$(call say,AR,$@)rm -f $@; ar rcs $@ $^

# Every tool that prints what --record wrote, as one; the signals, the capabilities and the end of the process stay the fuzzer's.
RECORD_TOOLS := $(patsubst src/%/,%,$(dir $(shell grep -l '^	RECORDS.[a-z]' src/*/*.c)))
FUZZ_FLAGS_record := $(addprefix -Wl$(,)--wrap=,exit say vsay privileges__drop loop__catch_signals loop__start_tick record__is_layout) -I$(BUILD)/fuzz
FUZZ_OBJECTS_record := $(RECORD_TOOLS:%=$(BUILD)/fuzz/obj/%.tool.o)

$(BUILD)/fuzz/record: $(FUZZ_OBJECTS_record) $(BUILD)/fuzz/record_tools.h
$(BUILD)/fuzz/record_tools.h: $(BUILD)/config.mk | $(BUILD)/fuzz
	$(Q)printf 'TOOL(%s)\n' $(RECORD_TOOLS) >$@

$(FUZZ_OBJECTS_record): $(BUILD)/fuzz/obj/%.tool.o: $$(wildcard src/$$*/*.[ch]) $(BUILD)/skel/%.skel.h | $(BUILD)/fuzz
	$(call say,CC,$@)mkdir -p $(@D) && for file in $(filter %.c,$(filter-out %.bpf.c %/law.c %/load.c,$(wildcard src/$*/*.c))); do \
		$(CLANG) $(ALL_CFLAGS) -O1 -fsanitize=fuzzer-no-link,$(FUZZ_SANITIZE) -c $$file -o $(@:.tool.o=).$${file##*/}.o || exit; done
	$(Q)$(LD) -r $(@:.tool.o=).*.c.o -o $@ && $(OBJCOPY) --redefine-sym main=$*_main --keep-global-symbol=$*_main $@

$(BUILD)/fuzz/%: tests/fuzz/%.c $(FUZZ_LIB) | $(BUILD)/fuzz
	$(call say,FUZZ,$@)$(CLANG) $(ALL_CFLAGS) -O1 -fsanitize=fuzzer,$(FUZZ_SANITIZE) $(FUZZ_FLAGS_$*) -MMD -MP -MF $@.d \
		$< $(FUZZ_OBJECTS_$*) $(FUZZ_LIB) $(LIBBPF_LIBS) $(ARGP_LIBS) -o $@

# The same targets over the inputs that are known, for a compiler without libFuzzer.
$(BUILD)/replay/record: $(RECORD_TOOLS:%=$(BUILD)/replay/%.tool.o) $(BUILD)/fuzz/record_tools.h
$(RECORD_TOOLS:%=$(BUILD)/replay/%.tool.o): $(BUILD)/replay/%.tool.o: $$(call objects,unit/obj,$$*) | $(BUILD)/replay
	$(call say,LINK,$@)$(LD) -r $^ -o $@ && $(OBJCOPY) --redefine-sym main=$*_main --keep-global-symbol=$*_main $@

$(BUILD)/replay/%: tests/fuzz/%.c tests/fuzz/replay/replay.c $(UNIT_LIB) | $(BUILD)/replay
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -O1 $(SANITIZE) $(FUZZ_FLAGS_$*) $(filter %.c %.tool.o,$^) $(UNIT_LIB) $(LIBBPF_LIBS) $(ARGP_LIBS) -o $@

.SECONDARY:

-include $(wildcard $(addprefix $(BUILD)/,bpf/*.d kasan/*.d kmod/*.d lib/*/*.d obj/*/*.d one/*.d workload/*.d unit/*.d unit/lib/*/*.d unit/obj/*/*.d fuzz/*.d fuzz/lib/*/*.d))

# What a newcomer types.
KERNEL ?=
.PHONY: run test new bench bench-check help
run:
	$(Q)KERNEL='$(KERNEL)' MAKE='$(MAKE)' ci/demo $(or $(TOOL),opensnoop)

test:
	$(Q)KERNELS='$(KERNELS)' TOOLS='$(TOOLS)' FULL='$(FULL)' tests/run --known
	$(Q)ci/deps build test $(if $(FULL),full)
	$(Q)KERNELS='$(KERNELS)' TOOLS='$(TOOLS)' FULL='$(FULL)' MAKE='$(MAKE)' tests/run

new:
	$(Q)ci/new-tool '$(TOOL)' '$(KIND)'

help:
	$(Q)sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile

include packaging/rules.mk
include bench/rules.mk

.PHONY: deps
deps:
	$(Q)ci/deps

# vmlinux.h: the types of a named Debian kernel, from its BTF.  That of another architecture is read out of the package.
VMLINUX_KERNEL := 6.12
VMLINUX_SUITE := trixie
.PHONY: vmlinux
vmlinux: $(BUILD)/config.mk
ifeq ($(ARCH),$(HOST_ARCH))
	$(Q)ci/vm --kernel $(VMLINUX_KERNEL) -- cat /sys/kernel/btf/vmlinux >$(BUILD)/vmlinux.btf
	$(Q)cp $$(ci/kernels dir $(VMLINUX_KERNEL))/release $(BUILD)/vmlinux.release
else
	$(Q)ci/kernel-btf $(VMLINUX_SUITE) linux-image-$(ARCH) $(ARCH) >$(BUILD)/vmlinux.btf 2>$(BUILD)/vmlinux.release
endif
	$(Q)mkdir -p vmlinux/$(ARCH)
	$(Q)(echo "/* Types of Debian's kernel $(VMLINUX_KERNEL), $$(tail -n 1 $(BUILD)/vmlinux.release); made by: make vmlinux$(if $(filter-out $(HOST_ARCH),$(ARCH)), ARCH=$(ARCH)) */" && \
		$(BPFTOOL) btf dump file $(BUILD)/vmlinux.btf format c) >vmlinux/$(ARCH)/vmlinux.h

.PHONY: clean
clean:
	$(Q)rm -rf $(BUILD)
