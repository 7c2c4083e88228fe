/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layouts that a BPF object is relocated against: a small BTF made for the running kernel, given to libbpf as
 * custom BTF (btf_custom_path).  It has
 *
 *   - for each `struct tp_SYSTEM__NAME` that the programs read, the record of that event as the running kernel's format
 *     file describes it, or for a syscall event the kernel's own way of passing it;
 *   - for each kernel type that they read, the members that they read, out of the kernel's BTF.
 *
 * What they read is taken from the object itself: its CO-RE relocations, of the programs that are going to be loaded.
 * An object that reads no kernel types needs no kernel BTF.  docs/layouts.md explains how.
 *
 *	layout__new(&layout);
 *	opts.btf_custom_path = layout__btf_path(layout);
 *	skel = NAME_bpf__open_opts(&opts);
 *	… rodata, bpf_program__set_autoload() …
 *	layout__fill(layout, skel->obj, elf, elf_size, &fault);
 *	NAME_bpf__load(skel);
 *	layout__free(layout);
 *
 * Members of a tp_ struct are named as in the format file; a dynamic field is a __u32 named __data_loc_NAME or
 * __rel_loc_NAME.  A type NAME___FLAVOUR stands for NAME, as everywhere in CO-RE.  Use NAME___part for a declaration of
 * only the members that are read: vmlinux.h's own brings the types of all its members into the object.
 *
 * What libbpf takes from the kernel's BTF by itself, it goes on to take from there: fentry, fexit, tp_btf and lsm
 * programs, typed ksyms.
 */
#ifndef PROBELIGHT_LAYOUT_H
#define PROBELIGHT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/print/fault.h"

struct format;
struct layout;

/* Functions that are left out or stubbed out, and helpers that are replaced: at most so many of an object. */
#define LEFT_OUT_MAX 32
#define INSTEAD_MAX 4

/* 0 and *layout, freed by layout__free(), or -errno. */
int layout__new(struct layout **layout);

/* For bpf_object_open_opts.btf_custom_path: libbpf keeps the path at open and reads the file at load. */
const char *layout__btf_path(const struct layout *layout);

/* Where the running kernel's types are read and kept, for tests; NULL in a member: the usual place. */
struct layout_places {
	const char *btf;	/* /sys/kernel/btf/vmlinux */
	const char *notes;	/* /sys/kernel/notes */
	const char *cache;	/* CACHE_FOLDER; "": none */
};
void layout__use(struct layout *layout, const struct layout_places *places);

/*
 * Says that the program or subprogram of that name is not run this time (rodata keeps everyone from calling it), so
 * that what it reads needs no layout.  A subprogram is not even loaded (uncalled.h); of a program libbpf poisons the accesses.
 * Either way the verifier refuses it if it is reached after all.  function must live on.  More than LEFT_OUT_MAX with those of
 * layout__stub_out(): layout__fill() fails.
 */
void layout__leave_out(struct layout *layout, const char *function);

/* The same for a subprogram that is called: a call does nothing and gives 0, unless another subprogram makes it. */
void layout__stub_out(struct layout *layout, const char *function);

/*
 * Says that programs call that function where their source calls the helper, of enum bpf_func_id (helper_calls.h).  function must live on.
 * More than INSTEAD_MAX: layout__fill() fails.
 */
void layout__call_instead(struct layout *layout, int32_t helper, const char *function);

/*
 * Makes the BTF for an opened object, of which elf and size are the bytes (NAME_bpf__elf_bytes()).  0, or -errno with
 * one line in fault: an event, a field or a type that the kernel does not have, or a program that reads
 * the struct of another event than that of its SEC().  Those that the
 * function asks about (bpf_core_field_exists, bpf_core_type_exists on the same type) and those of a flavour other
 * than ___part may be missing.
 */
int layout__fill(struct layout *layout, const struct bpf_object *object, const void *elf, size_t size, struct fault *fault);

/*
 * The format of an event, "SYSTEM/NAME", which layout__fill() has read as the programs read its record; NULL where it has not.  It lives as
 * long as layout.
 */
const struct format *layout__format(const struct layout *layout, const char *event);

/*
 * After layout__fill(): whether the running kernel's struct of that name has a member, of those that the programs read or ask for
 * (bpf_core_field_exists()).
 */
bool layout__has_member(const struct layout *layout, const char *type, const char *member);

/*
 * After layout__fill(): whether a program in SEC("tp"), which names no event, may be attached to this one, "SYSTEM/NAME".  0
 * if the program reads no record, this event's, or one that has the same fields at the same offsets.  Otherwise -EINVAL, or
 * what is wrong with the event, with one line in fault.
 */
int layout__check_event(const struct layout *layout, const struct bpf_program *program, const char *event,
			struct fault *fault);

/* Takes NULL.  The object must have been loaded before, or is not to be loaded any more. */
void layout__free(struct layout *layout);

#endif
