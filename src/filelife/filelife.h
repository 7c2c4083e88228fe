/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FILELIFE_H
#define PROBELIGHT_FILELIFE_H

#include "lib/shared/dir.h"
#include "lib/shared/event.h"

/* How a file went. */
enum filelife_end {
	FILELIFE_OTHER,		/* nobody was seen to remove it: the NFS server did */
	FILELIFE_UNLINK,
	FILELIFE_RENAME,	/* another file took its name */
	FILELIFE_CLOSE,		/* it never had a name (O_TMPFILE) */
};

struct filelife_event {
	struct event_task task;		/* who removed it, but its time is that of the file's end */
	__u64 age_ns;			/* from its creation to its removal */
	__u64 held_ns;			/* from its removal to its end */
	__u64 inode;
	__u64 size;			/* bytes, when it was removed; or FILELIFE_NO_SIZE: the file system has cut it already */
	__u32 creator_pid, creator_tid;
	char creator_comm[TASK_COMM_LEN];
	__u16 how;			/* enum filelife_end */
	__u16 name_size;		/* with the 0 byte; 0: it has no name */
	__u16 dir_size;			/* bytes of the names of its directory, behind its own */
	__u16 dir_is_cut;		/* the outermost names are not there; without names: they are not known */
	char text[];
};

#define FILELIFE_NO_SIZE (~0ull)
#define FILELIFE_TEXT_MAX (DIR_NAME_SIZE + DIR_ROOM)
/* What is kept of a removal with that much text: two words, and the event. */
#define FILELIFE_REMOVAL_SIZE(text) (16 + sizeof(struct filelife_event) + (text))
#define FILELIFE_FILES 16384	/* new files that are kept in mind: of more, those that were created last */
#define FILELIFE_REMOVALS 1024	/* files that are removed and not gone yet, as they are open */

#endif
