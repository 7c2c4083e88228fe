/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ktext.h says, for one architecture each.  All of them are compiled everywhere, and do not depend on the machine: ktext.c takes that
 * of the program's own, unit tests take every one.
 */
#ifndef PROBELIGHT_KTEXT_ARCH_H
#define PROBELIGHT_KTEXT_ARCH_H

#include "ktext.h"

extern const char *const ktext_x86__names[];
struct ktext_insn ktext_x86__decode(const uint8_t *bytes, size_t size, uint64_t address);
int ktext_x86__find_hook(const uint8_t bytes[KTEXT_BEGIN]);
bool ktext_x86__is_skipped(const uint8_t bytes[KTEXT_MARK]);
void ktext_x86__scan(const uint8_t *code, size_t size, uint64_t address, void (*found)(void *ctx, uint64_t target), void *ctx);

extern const char *const ktext_arm64__names[];
struct ktext_insn ktext_arm64__decode(const uint8_t *bytes, size_t size, uint64_t address);
int ktext_arm64__find_hook(const uint8_t bytes[KTEXT_BEGIN]);
bool ktext_arm64__is_skipped(const uint8_t bytes[KTEXT_MARK]);
void ktext_arm64__scan(const uint8_t *code, size_t size, uint64_t address, void (*found)(void *ctx, uint64_t target), void *ctx);

#endif
