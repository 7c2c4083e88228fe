/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_trial.h"

#include <errno.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/kernel/cache.h"
#include "user_attach.h"

#define ALLOWED_MAX 8
#define NO_FILTER 2	/* the child's exit status: it could not be tried */

/* Whose return is probed.  It is called by its address, which no compiler knows: so no copy of it is called in its place. */
static int tried(int number)
{
	return number + 1;
}

static int (*volatile const tried_at)(int number) = tried;

struct wanted {
	uintptr_t address;
	uint64_t offset;
	bool is_found;
};

static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct wanted *wanted = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t begin = (uintptr_t)(info->dlpi_addr + segment->p_vaddr);

		if (segment->p_type != PT_LOAD || wanted->address < begin || wanted->address - begin >= segment->p_filesz)
			continue;
		wanted->offset = wanted->address - begin + segment->p_offset;
		wanted->is_found = true;
		return 1;
	}
	return 0;
}

/* The filter kills at any call but those. */
static int set_filter(const int *allowed, unsigned int count)
{
	struct sock_filter code[2 * ALLOWED_MAX + 2];
	struct sock_fprog program = { .filter = code };

	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (unsigned int i = 0; i < count && i < ALLOWED_MAX; i++) {
		code[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i], 0, 1);
		code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

/* Waits until the probe is there. */
static void run_child(const int ends[2], const int *allowed, unsigned int count)
{
	char byte;

	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1 || set_filter(allowed, count))
		_exit(NO_FILTER);
	_exit(tried_at(1) == 2 ? 0 : 1);
}

/* Of a fault of its own; who kills it otherwise (^C, the OOM killer) says nothing about the kernel. */
static bool is_fault(int number)
{
	return number == SIGSYS || number == SIGILL || number == SIGSEGV || number == SIGBUS || number == SIGTRAP;
}

int user_trial__judge(int status, uint64_t returns)
{
	bool was_tried = returns && !(WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER);

	/* one that was killed at its return may not have been seen to return */
	if (WIFSIGNALED(status))
		return is_fault(WTERMSIG(status)) ? -EOPNOTSUPP : USER_TRIAL_NONE;
	if (!was_tried)
		return USER_TRIAL_NONE;
	return WEXITSTATUS(status) ? -EOPNOTSUPP : 0;
}

int user_trial__run(const int *allowed, unsigned int count, int (*probe)(const char *path, uint64_t offset, int pid))
{
	struct wanted wanted = { .address = (uintptr_t)tried_at };
	uint64_t returns = 0;
	int ends[2], event, status = 0;
	pid_t pid;

	if (!dl_iterate_phdr(look_at_object, &wanted) || !wanted.is_found || pipe(ends))
		return USER_TRIAL_NONE;
	pid = fork();
	if (!pid)
		run_child(ends, allowed, count);
	close(ends[0]);
	event = pid > 0 ? probe("/proc/self/exe", wanted.offset, pid) : -1;
	if (event < 0 || write(ends[1], "", 1) != 1)
		returns = 0;
	close(ends[1]);
	if (pid > 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	if (event < 0)
		return USER_TRIAL_NONE;
	if (read(event, &returns, sizeof(returns)) != sizeof(returns))
		returns = 0;
	close(event);
	return user_trial__judge(status, returns);
}

static int open_return(const char *path, uint64_t offset, int pid)
{
	return user_attach__open_event(path, offset, 0, true, pid);
}

static int try_once_a_boot(void)
{
	static const char name[] = "return probe and seccomp";
	static const int allowed[] = { SYS_exit_group, SYS_exit };
	struct cache_key key = { .hash = cache__hash(CACHE_HASH_START, name, sizeof(name)) };
	bool has_key = !cache__build_id(&key, "/sys/kernel/notes");
	void *bytes;
	size_t size;
	char answer;
	int got;

	if (has_key && !cache__read(CACHE_FOLDER, &key, &bytes, &size)) {
		answer = size == 1 ? *(const char *)bytes : 'g';
		free(bytes);
		return answer == 'b' ? -EOPNOTSUPP : 0;
	}
	got = user_trial__run(allowed, 2, open_return);
	answer = got ? 'b' : 'g';
	if (has_key && got != USER_TRIAL_NONE)
		cache__write(CACHE_FOLDER, &key, &answer, 1);
	return got;
}

int user_trial__check(struct fault *fault)
{
	static int answer = USER_TRIAL_NONE;

	if (answer == USER_TRIAL_NONE)
		answer = try_once_a_boot();
	return answer >= 0 ? 0 : fault__set(fault, answer, "this kernel's return probes kill processes that have a seccomp filter (a child of our own "
					"has tried it; --returns ret does without, where anysnoop has it)");
}
