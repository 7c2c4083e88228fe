/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file system that hangs: a directory with one program in it, which can be read and executed until a byte comes from
 * stdin.  From then on no question is answered any more.
 *
 * 	hanging_fs DIRECTORY FILE
 *
 * The file has the name of FILE and its bytes.  It says "ready" when the directory is mounted, and "hangs".  The kernel asks
 * through /dev/fuse (include/uapi/linux/fuse.h has the questions and answers); when this process is killed, every question
 * that waits fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY_NODE FUSE_ROOT_ID
#define FILE_NODE 2
#define REQUEST_MAX (256 * 1024)
#define KEPT_SECONDS 1000

static const char *name, *bytes;
static size_t size;
static int device;

static void answer(const struct fuse_in_header *request, int error, const void *data, size_t length)
{
	static char text[REQUEST_MAX];
	struct fuse_out_header header = { .len = (uint32_t)(sizeof(header) + length), .error = -error, .unique = request->unique };

	memcpy(text, &header, sizeof(header));
	if (length)
		memcpy(text + sizeof(header), data, length);
	/* ENOENT: whoever asked does not wait any more */
	if (write(device, text, header.len) < 0 && errno != ENOENT)
		perror("hanging_fs: write");
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node, .size = node == FILE_NODE ? size : 0, .blocks = (size + 511) / 512, .blksize = 4096,
		.mode = node == FILE_NODE ? S_IFREG | 0755 : S_IFDIR | 0755, .nlink = 1,
	};
}

static void look_up(const struct fuse_in_header *request, const char *wanted)
{
	struct fuse_entry_out entry = { .nodeid = FILE_NODE, .entry_valid = KEPT_SECONDS, .attr = attributes(FILE_NODE) };

	if (strcmp(wanted, name))
		answer(request, ENOENT, NULL, 0);
	else
		answer(request, 0, &entry, sizeof(entry));
}

static void give_bytes(const struct fuse_in_header *request, const struct fuse_read_in *wanted)
{
	size_t length = wanted->offset < size ? size - wanted->offset : 0;

	answer(request, 0, bytes + wanted->offset, length < wanted->size ? length : wanted->size);
}

static void take(const struct fuse_in_header *request, const void *argument)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_readahead = 131072, .max_write = 131072 };
	/* attributes are asked for each time: so also the first look at the file hangs */
	struct fuse_attr_out attr = { .attr = attributes(request->nodeid) };
	/* what was read stays in memory: the program goes on */
	struct fuse_open_out opened = { .open_flags = FOPEN_KEEP_CACHE };

	switch (request->opcode) {
	case FUSE_INIT:
		answer(request, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		look_up(request, argument);
		break;
	case FUSE_GETATTR:
		answer(request, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		answer(request, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		give_bytes(request, argument);
		break;
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FLUSH:
		answer(request, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;	/* no answer is waited for */
	default:
		answer(request, ENOSYS, NULL, 0);
	}
}

static void serve(void)
{
	static union {
		struct fuse_in_header header;
		char text[REQUEST_MAX];
	} request;
	struct pollfd both[] = { { .fd = device, .events = POLLIN }, { .fd = 0, .events = POLLIN } };

	while (!both[1].revents) {
		if (poll(both, 2, -1) < 0 || !both[0].revents)
			continue;
		if (read(device, request.text, sizeof(request)) > 0)
			take(&request.header, request.text + sizeof(request.header));
		else if (errno != EINTR && errno != ENOENT && errno != EAGAIN)
			exit(1);
	}
}

int main(int argc, char **argv)
{
	char options[128];
	struct stat stat;
	int fd;

	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	fd = argc == 3 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
	if (device < 0 || fd < 0 || fstat(fd, &stat)) {
		perror("hanging_fs");
		return 1;
	}
	size = (size_t)stat.st_size;
	name = strrchr(argv[2], '/') ? strrchr(argv[2], '/') + 1 : argv[2];
	bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40755,user_id=0,group_id=0,allow_other", device);
	if (bytes == MAP_FAILED || mount("hanging_fs", argv[1], "fuse", MS_NOSUID | MS_NODEV, options)) {
		perror("hanging_fs: mount");
		return 1;
	}
	printf("ready\n");
	fflush(stdout);
	serve();
	printf("hangs\n");
	fflush(stdout);
	for (;;)
		pause();
}
