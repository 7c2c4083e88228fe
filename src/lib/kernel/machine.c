/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine.h"

#include <sys/personality.h>
#include <unistd.h>

#include "file.h"
#include "kernel.h"

#if defined(__x86_64__)

const char *machine__name(void)
{
	return "x86_64";
}

/* abi.vsyscall32 is there then (arch/x86/entry/vdso/vdso32-setup.c) */
bool machine__has_compat(void)
{
	return !file__may("/proc/sys/abi/vsyscall32", F_OK);
}

/* include/asm-generic/thread_info_tif.h since 6.18, arch/x86/include/asm/thread_info.h before */
static uint32_t lazy_flag(uint32_t version)
{
	return version >= kernel_version(6, 18, 0) ? 5 : 4;
}

/* 473e3150e30a */
uint32_t machine__trampoline_args(uint32_t version)
{
	return version >= kernel_version(6, 6, 0) ? 12 : 6;
}

bool machine__loads_in_vain(void)
{
	return false;
}

bool machine__has_link(void)
{
	return false;
}

#elif defined(__aarch64__)

const char *machine__name(void)
{
	return "aarch64";
}

/* The kernel refuses PER_LINUX32 where it or its CPUs have no 32-bit tasks (arch/arm64/kernel/sys.c). */
bool machine__has_compat(void)
{
	int own = personality(0xffffffff);
	bool has = own >= 0 && personality(((unsigned long)own & ~(unsigned long)PER_MASK) | PER_LINUX32) >= 0;

	if (has)
		personality((unsigned long)own);
	return has;
}

/* arch/arm64/include/asm/thread_info.h: numbers of its own, also where others take the generic ones */
static uint32_t lazy_flag(uint32_t version)
{
	(void)version;
	return 2;
}

/* Those in registers; newer kernels that pass on more of them are not told apart. */
uint32_t machine__trampoline_args(uint32_t version)
{
	(void)version;
	return 8;
}

bool machine__loads_in_vain(void)
{
	return true;
}

bool machine__has_link(void)
{
	return true;
}

#else
#error "lib/kernel/machine does not know this architecture"
#endif

uint32_t machine__lazy_flag(uint32_t version)
{
	return version >= kernel_version(6, 13, 0) ? lazy_flag(version) : 0;
}
