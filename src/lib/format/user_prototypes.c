/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_prototypes.h"

#include <stdlib.h>
#include <string.h>

/* Sorted by name.  Sources: the Linux man-pages project, sections 2 and 3; of OpenSSL and readline their manuals. */
static const struct prototype {
	const char *name, *parameters;
} prototypes[] = {
	{ "SSL_read", "void *ssl, void *buf, int num, int ret" },
	{ "SSL_write", "void *ssl, void *buf, int num, int ret" },
	{ "calloc", "size_t nmemb, size_t size, void *ret" },
	{ "chdir", "const char *path, int ret" },
	{ "close", "int fd, int ret" },
	{ "connect", "int sockfd, void *addr, socklen_t addrlen, int ret" },
	{ "dlopen", "const char *filename, int flags, void *ret" },
	{ "dlsym", "void *handle, const char *symbol, void *ret" },
	{ "execve", "const char *pathname, void *argv, void *envp, int ret" },
	{ "exit", "int status" },
	{ "fopen", "const char *pathname, const char *mode, void *ret" },
	{ "fopen64", "const char *pathname, const char *mode, void *ret" },
	{ "fork", "pid_t ret" },
	{ "free", "void *ptr" },
	{ "getaddrinfo", "const char *node, const char *service, void *hints, void *res, int ret" },
	{ "getenv", "const char *name, char *ret" },
	{ "gethostbyname", "const char *name, void *ret" },
	{ "getpwnam", "const char *name, void *ret" },
	{ "kill", "pid_t pid, int sig, int ret" },
	{ "malloc", "size_t size, void *ret" },
	{ "mkdir", "const char *pathname, mode_t mode, int ret" },
	{ "mmap", "void *addr, size_t length, int prot, int flags, int fd, off_t offset, void *ret" },
	{ "open", "const char *pathname, int flags, int ret" },
	{ "open64", "const char *pathname, int flags, int ret" },
	{ "openat", "int dirfd, const char *pathname, int flags, int ret" },
	{ "opendir", "const char *name, void *ret" },
	{ "posix_memalign", "void *memptr, size_t alignment, size_t size, int ret" },
	{ "pthread_create", "void *thread, void *attr, void *start_routine, void *arg, int ret" },
	{ "pthread_mutex_lock", "void *mutex, int ret" },
	{ "pthread_mutex_unlock", "void *mutex, int ret" },
	{ "puts", "const char *s, int ret" },
	{ "read", "int fd, void *buf, size_t count, ssize_t ret" },
	{ "readline", "const char *prompt, char *ret" },
	{ "readline_internal_teardown", "int eof, char *ret" },
	{ "realloc", "void *ptr, size_t size, void *ret" },
	{ "recv", "int sockfd, void *buf, size_t len, int flags, ssize_t ret" },
	{ "rename", "const char *oldpath, const char *newpath, int ret" },
	{ "send", "int sockfd, void *buf, size_t len, int flags, ssize_t ret" },
	{ "setenv", "const char *name, const char *value, int overwrite, int ret" },
	{ "sleep", "unsigned int seconds, unsigned int ret" },
	{ "socket", "int domain, int type, int protocol, int ret" },
	{ "system", "const char *command, int ret" },
	{ "unlink", "const char *pathname, int ret" },
	{ "usleep", "unsigned int usec, int ret" },
	{ "write", "int fd, void *buf, size_t count, ssize_t ret" },
};

static int compare(const void *name, const void *entry)
{
	return strcmp(name, ((const struct prototype *)entry)->name);
}

const char *user_prototype(const char *function)
{
	const size_t count = sizeof(prototypes) / sizeof(*prototypes);
	const struct prototype *found = bsearch(function, prototypes, count, sizeof(*prototypes), compare);

	return found ? found->parameters : NULL;
}
