# SPDX-License-Identifier: BSD-2-Clause
# What is installed and given away.  None of these compiles anything: `make` comes first, as an ordinary user.
#
# make install       copies build/ and the manual pages to PREFIX (/usr/local)
# make uninstall     removes what install copied, with the same variables
#
# make dist          the sources as a tarball        make release   the programs as tarballs, reproducible
# make deb           a Debian package; its programs are called opensnoop-probelight and so on
# make image         an image for container engines, FROM scratch
#
# ARCH=arm64         install, deb and image take the programs for arm64, the pages and completion of those for this machine (make all, make ARCH=arm64 all)
# RELEASE_ARCHS      architectures of a release: on x86-64 that and arm64, which needs ci/deps cross
#
# PREFIX, BINDIR, SBINDIR, MANDIR   where files go; DESTDIR is put before all of them, for packages
# SINGLE=1                          copies each tool as a program of its own instead of a link to probelight
# PROGRAM_SUFFIX=-probelight        is appended to each program's and page's name: libbpf-tools has an opensnoop, too

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
SBINDIR ?= $(PREFIX)/sbin
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share
DESTDIR ?=
PROGRAM_SUFFIX ?=
RELEASE_ARCHS ?= $(HOST_ARCH) $(if $(filter x86,$(HOST_ARCH)),arm64)
# Where pages and completion are, which are made by running the programs.
PAGES_BUILD ?= $(if $(filter $(ARCH),$(HOST_ARCH)),$(BUILD),build)
VERSION := $(shell sed -n 's/^\#define PROBELIGHT_VERSION "\(.*\)"/\1/p' src/lib/print/version.h)

COMPLETIONS := $(addprefix $(BUILD)/completion/probelight.,bash zsh fish)
$(COMPLETIONS): $(BUILD)/completion/probelight.%: packaging/completion packaging/options src/one/views $(BUILD)/probelight $(addprefix $(BUILD)/,$(ALL_TOOLS)) | $(BUILD)/completion
	$(Q)BUILD=$(BUILD) packaging/completion $* $(ALL_TOOLS) >$@

# build/man/opensnoop.8: src/opensnoop/opensnoop.8 with the options that the tool has
define page
$(BUILD)/man/$(notdir $(1)): $(1) $(BUILD)/$(basename $(notdir $(1))) packaging/page packaging/options | $(BUILD)/man
	$(Q)packaging/page $(1) $(BUILD)/$(basename $(notdir $(1))) >$$@.new && mv $$@.new $$@
endef
$(foreach source,$(TOOL_PAGES),$(eval $(call page,$(source))))

$(BUILD)/completion $(BUILD)/man:
	$(Q)mkdir -p $@

.PHONY: pages dist release deb image
pages: $(COMPLETIONS) $(addprefix $(BUILD)/man/,$(notdir $(TOOL_PAGES)))
# build/probelight-VERSION.tar.xz, the sources: it builds without git
dist:
	$(Q)packaging/dist $(BUILD) $(VERSION)
# build/release: the static programs as a tarball for each architecture, and SHA256SUMS; built twice, and both must be the same bytes
release:
	$(Q)packaging/release $(BUILD) $(VERSION) $(RELEASE_ARCHS)
# build/deb, or build/arm64/deb: a Debian package.  That of another architecture takes pages and completion of the programs for this machine.
deb:
	$(if $(filter $(ARCH),$(HOST_ARCH)),,$(Q)$(MAKE) --no-print-directory ARCH=$(HOST_ARCH) BUILD=$(PAGES_BUILD) pages)
	$(Q)PAGES_BUILD='$(abspath $(PAGES_BUILD))' packaging/deb $(BUILD) $(VERSION) $(ARCH)

# build/image: the program FROM scratch, as a tarball that container engines load
image:
	$(Q)packaging/image $(BUILD) $(VERSION) $(ARCH) $(PAGES_BUILD)

.PHONY: install uninstall
# `make all install` in one call builds first; `make install` alone never does.
install: $(filter all,$(MAKECMDGOALS))
install uninstall:
	$(Q)BUILD='$(BUILD)' PAGES_BUILD='$(PAGES_BUILD)' DESTDIR='$(DESTDIR)' BINDIR='$(BINDIR)' SBINDIR='$(SBINDIR)' MANDIR='$(MANDIR)' DATADIR='$(DATADIR)' \
		PROGRAM_SUFFIX='$(PROGRAM_SUFFIX)' SINGLE='$(SINGLE)' packaging/install $@
