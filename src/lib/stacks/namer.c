/* SPDX-License-Identifier: BSD-2-Clause */
#include "namer.h"

#include <errno.h>
#include <sys/mman.h>

#include <bpf/bpf.h>

#include "lib/kernel/kernel.h"
#include "lib/kernel/ksyms.h"

#define NAMES_PROGRAM "stack_name_addresses"

bool namer__is_there(void)
{
	/* programs of type syscall: since 5.14 (79a7f8bdb159); older kernels are asked */
	return kernel__version() >= kernel_version(5, 14, 0) || libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_SYSCALL, NULL) == 1;
}

void namer__prepare(const struct bpf_object *object)
{
	if (!namer__is_there())
		bpf_program__set_autoload(bpf_object__find_program_by_name(object, NAMES_PROGRAM), false);
}

int namer__open(struct namer *namer, const struct bpf_object *object)
{
	const struct bpf_program *program = object ? bpf_object__find_program_by_name(object, NAMES_PROGRAM) : NULL;
	const struct bpf_map *names = object ? bpf_object__find_map_by_name(object, "stack_names") : NULL;
	void *batch;

	namer->program = program && bpf_program__autoload(program) ? bpf_program__fd(program) : -1;
	if (namer->program < 0) {
		/* they are read when the first name is asked for */
		ksyms__keep_open();
		ksyms__keep_functions();
		return 0;
	}
	batch = mmap(NULL, sizeof(*namer->batch), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(names), 0);
	if (batch == MAP_FAILED)
		return -errno;
	namer->batch = batch;
	return 0;
}

void namer__close(struct namer *namer)
{
	if (namer->batch)
		munmap(namer->batch, sizeof(*namer->batch));
	namer->batch = NULL;
}

int namer__add(struct namer *namer, struct places *places, uint64_t address)
{
	struct stack_names *batch = namer->batch;

	if (!batch || places__has(places, address))
		return 0;
	batch->addresses[batch->count++] = address;
	return batch->count == STACK_NAMES_BATCH ? namer__ask(namer, places) : 0;
}

int namer__ask(struct namer *namer, struct places *places)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	uint64_t count = namer->batch ? namer->batch->count : 0;
	int err = count ? bpf_prog_test_run_opts(namer->program, &opts) : 0;

	if (!count)
		return 0;
	namer->batch->count = 0;
	for (uint64_t i = 0; i < count && !err; i++)
		err = places__tell(places, namer->batch->addresses[i], namer->batch->names[i], STACK_NAME_SIZE);
	return err;
}
