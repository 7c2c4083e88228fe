# SPDX-License-Identifier: BSD-2-Clause
# What the tools' tests are written with.  A test is a script for busybox sh that runs as root in a guest:
#
#	. tests/lib.sh
#	start opensnoop -n cat		# returns when the tool is ready: everything is attached
#	cat /etc/passwd >/dev/null	# one known thing
#	stop				# Ctrl-C; checks the exit status, and that the summary adds up
#	row "* cat 3 0 /etc/passwd"	# a row that must be there
#	no_row "*sh*"			# one that must not
#
# Each check is a line, "ok - what" or "not ok - what"; after a failed one comes what the tool printed.  $T is an
# empty folder for the test, $T/out and $T/err hold what the tool printed.  Nothing here sleeps, and no test should.

PATH=$PATH:/probelight/build/workload
T=${TMPDIR:-/tmp}/test.$$
mkdir -p "$T"
COMMAND= TOOL_PID= FAILED= SHOWN=
# Seconds that are enough however busy the machine is: only a test that hangs waits so long.
PATIENCE=${PATIENCE:-900}
trap 'end_of_test $?' EXIT

ok() { echo "ok - $*"; }

not_ok() {
	echo "not ok - $*"
	FAILED=1 SHOWN=
}

# check TEXT COMMAND…: ok if the command succeeds
check() {
	WHAT=$1; shift
	if "$@"; then ok "$WHAT"; else not_ok "$WHAT"; fi
}

# is TEXT GOT WANTED: ok if both are the same
is() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: it is '$2', not '$3'"; fi
}

# The functions below run as few programs as they can: in a guest each takes a tenth of a tool's start, and tests call them
# thousands of times.

# since RELEASE: whether the kernel is that new ("6.7"); of a release with two numbers
RUNNING=$(uname -r)
since() {
	set -- "${1%%.*}" "${1#*.}" "${RUNNING%%.*}" "${RUNNING#*.}"
	[ $(($3 * 1000 + ${4%%[!0-9]*})) -ge $(($1 * 1000 + $2)) ]
}

# config OPTION: whether the kernel was built with it
config() { grep -q "^CONFIG_$1=[ym]" "/boot/config-$(uname -r)"; }

# starts_with TOOL: the options without which it does not start on every machine ("# starts with: ARG…" in its test)
starts_with() { sed -n 's/^# starts with: //p' "src/$1/test"; }

# What the functions of system calls begin with, ${SYS}_getpgid, and numbers of some calls.
case $(uname -m) in
aarch64) SYS=__arm64_sys READ_NUMBER=63 PERF_EVENT_OPEN_NUMBER=241 ;;
*) SYS=__x64_sys READ_NUMBER=0 PERF_EVENT_OPEN_NUMBER=298 ;;
esac

# Registers as the kernel's own probes call them: of a function's first two arguments, and where the CPU is.
case $SYS in __arm64_sys) FIRST_REGISTER=%x0 SECOND_REGISTER=%x1 IP_REGISTER=%pc ;; *) FIRST_REGISTER=%di SECOND_REGISTER=%si IP_REGISTER=%ip ;; esac

# How many arguments a call has in registers.
case $SYS in __arm64_sys) CALL_ARGS=8 ;; *) CALL_ARGS=6 ;; esac

# Bytes of a page: 4 KB on x86, and on arm64 what the kernel was built with.
case $SYS in __arm64_sys) PAGE=$(awk '/^KernelPageSize/ { print $2 * 1024; exit }' /proc/self/smaps) ;; *) PAGE=4096 ;; esac

# The function of the vDSO that tells the time.
case $SYS in __arm64_sys) VDSO_CLOCK=__kernel_clock_gettime ;; *) VDSO_CLOCK=__vdso_clock_gettime ;; esac

# The function by which workloads remove a file: arm64 has no unlink(2).
case $SYS in __arm64_sys) SYS_UNLINK=${SYS}_unlinkat ;; *) SYS_UNLINK=${SYS}_unlink ;; esac

# built_in OPTION: whether the kernel has it, and not as a module
built_in() { grep -q "^CONFIG_$1=y" "/boot/config-$(uname -r)"; }

# skip TEXT RELEASE FEATURE: not tested, because the kernel is older than the RELEASE that brought the FEATURE; or, with an
# option of the kernel's (CONFIG_…) instead of a release, because it was built without. The harness does not believe
# it where the kernel is that new, or has the option.  MODULE_name: the kernel in the cache was fetched before ci/kernel-modules had the module.
skip() { echo "skip - $1: needs $2 $3"; }

# Ends the test at once.
die() {
	not_ok "$*"
	exit 1
}

# The function through which kill(2) sends a signal: on arm64 the compiler has inlined others.  Its parameters are sig, info, a task, type.
SEND_SIGNAL=do_send_sig_info SIGNALLED=p
[ $SYS != __arm64_sys ] || ! since 6.2 || SEND_SIGNAL=send_signal_locked SIGNALLED=t
[ $SYS != __arm64_sys ] || ! since 7.0 || SEND_SIGNAL=group_send_sig_info SIGNALLED=p

# has_trampolines: whether fentry and fexit can be attached: on arm64 by direct calls alone, which came with 6.4
has_trampolines() { [ $SYS = __x64_sys ] || config DYNAMIC_FTRACE_WITH_DIRECT_CALLS; }

# has_btf_of FUNCTION: whether the kernel's BTF has the function.  That of arm64's 5.10 has no static ones.
has_btf_of() { grep -qa "$1" /sys/kernel/btf/vmlinux 2>/dev/null; }

# trampolines_take_many: whether one link can have many functions by trampolines (fentry.multi, fsession.multi), which x86 alone can so far
trampolines_take_many() { since 7.2 && config HAVE_SINGLE_FTRACE_DIRECT_OPS; }

# date_after FORMAT: the time of day, no earlier than what was done before.  date(1) asks for the time of the last tick (CLOCK_REALTIME_COARSE),
# which is up to 10 ms (CONFIG_HZ_100) before the kernel's own.
date_after() {
	sleep 0.01
	date -u "$1"
}

# start TOOL ARG…: runs it in the background, until it is ready (its header, or the start line of -j)
start() {
	show_failure
	COMMAND="$*" EXPECTED_STATUS=0
	: >"$T/out"
	"$@" >"$T/out" 2>"$T/err" &
	TOOL_PID=$!
	await $PATIENCE line "$T/out" $TOOL_PID || die "$* is not ready"
}

# stop [SIGNAL [STATUS]]: ends the tool with SIGINT, or SIGNAL; then as finish
stop() {
	kill -"${1:-INT}" "$TOOL_PID"
	finish "$2"
}

# finish [STATUS]: waits for the tool to end by itself, with exit status 0, or STATUS; checks its summary
finish() {
	if ! await $PATIENCE end "$TOOL_PID"; then
		kill -KILL "$TOOL_PID"
		wait "$TOOL_PID"
		TOOL_PID=
		die "$COMMAND does not end"
	fi
	wait "$TOOL_PID"
	STATUS=$?
	TOOL_PID=
	ended "${1:-0}"
}

# ended WANTED: checks exit status $STATUS, the summary, and that it adds up
ended() {
	[ "$STATUS" = "$1" ] || not_ok "$COMMAND: exit status $STATUS, not $1"
	summary "$T/err" || return
	[ -z "$COUNTED" ] || return
	ROWS=$(printed_rows -c "$T/out")
	[ "$ROWS" = "$DELIVERED" ] || not_ok "$COMMAND: the summary says $DELIVERED delivered, and there are $ROWS rows"
}

# over "WORKLOAD EVENTS WRITERS" TOOL ARG…: runs the tool over one of the law's workloads (law_TOOL), in whose time no other program runs, so that
# all numbers are known; @PID among ARG is the first writer. Checks as finish. $generated, $failed, $first and $writer say what the workload
# did (tests/workload/law.c).
over() {
	show_failure
	WRITERS=$1; shift
	COMMAND="$* ($WRITERS)"
	# shellcheck disable=SC2086
	NUMBERS=$(law -o "$T/out" -e "$T/err" "$@" -- $WRITERS) || die "$COMMAND: did not run"
	eval "$NUMBERS"
	STATUS=$status
	ended 0
}

# between LEAST NUMBER MOST TEXT: ok if the number is none of the limits' outside
between() { check "$4: $2, of $1 to $3" [ "$2" -ge "$1" -a "$2" -le "$3" ]; }

# filtered N TEXT [MOST]: ok if the summary has N events as filtered, or up to MOST. What was missed may be any of them; mostly none was.
filtered() {
	[ "$MISSED" != unknown ] || MISSED=0
	check "$2: $FILTERED" [ "$FILTERED" -le "${3:-$1}" -a $((FILTERED + MISSED)) -ge "$1" ]
}

# exceed_rate WRITER CALLS TOOL ARG…: the tool, started with a --rate that one of the law's writers (law_TOOL) exceeds, ends by itself: with exit status 1,
# a reason that names --rate, and a summary, which is left as by summary, and its rows in $T/out. What it has seen by then is the test's.
exceed_rate() {
	show_failure
	WRITER=$1 CALLS=$2; shift 2
	COMMAND="$*"
	: >"$T/out"
	"$@" >"$T/out" 2>"$T/err" &
	TOOL_PID=$!
	await $PATIENCE line "$T/out" $TOOL_PID || die "$COMMAND is not ready"
	echo | "$WRITER" "$CALLS" 1 >/dev/null &
	WRITER_PID=$!
	await $PATIENCE end $TOOL_PID || die "$COMMAND does not end"
	wait $TOOL_PID
	STATUS=$?
	TOOL_PID=
	is "$COMMAND: exit status" $STATUS 1
	check "$COMMAND: it says why" grep -q "^$1: stopped: .*--rate" "$T/err"
	summary "$T/err"
	wait $WRITER_PID
}

# workload FILE COMMAND…: runs a program of tests/workload, which prints into FILE what it did; not ok if it fails, or prints
# nothing. But for exit status 77, of one that needs 32-bit system calls, where the kernel has none.
workload() {
	WORK_OUT=$1; shift
	"$@" >"$WORK_OUT"
	WORK_STATUS=$?
	if [ $WORK_STATUS = 77 ] && ! config IA32_EMULATION; then
		:
	elif [ $WORK_STATUS != 0 ]; then
		not_ok "the workload $*: exit status $WORK_STATUS"
	elif [ ! -s "$WORK_OUT" ]; then
		not_ok "the workload $*: it says nothing"
	fi
}

# hold irqs|preempt|wanted|lazy US[,US…] COUNT [GAP_US [CPU]]: sections with interrupts or preemption off, into $T/held as hold_section
# writes them. One process makes all of a test's: to load its program takes longer than the sections do.
hold() {
	if [ -z "${HOLDER-}" ]; then
		mkfifo "$T/hold.ask" "$T/hold.answer"
		hold_section "$T/held" <"$T/hold.ask" >"$T/hold.answer" &
		HOLDER=$!
		exec 8>"$T/hold.ask" 9<"$T/hold.answer"
	fi
	echo "$*" >&8
	IFS= read -r LINE <&9 || LINE="it is gone"
	[ "$LINE" = end ] || not_ok "hold_section: $*: $LINE"
}

# in_cgroup PATH COMMAND…: runs the command in a cgroup that is there
in_cgroup() {
	sh -c 'echo 0 >"/sys/fs/cgroup/$0/cgroup.procs"; exec "$@"' "$@"
}

# cleaners: the process ids of all cleaners, by the name that they give themselves
cleaners() { grep -lx probelight-keep /proc/[0-9]*/comm 2>/dev/null | cut -d / -f 3 | xargs; }

# without FILE: makes $T/without, which runs a command where FILE is empty
without() {
	printf '#!/bin/sh\nexec unshare -m sh -c '"'"'mount --bind /dev/null %s && exec "$0" "$@"'"'"' "$@"\n' "$1" >"$T/without"
	chmod +x "$T/without"
}

# example TOOL PATTERN COMMAND…: runs the first command among the EXAMPLES of the tool's manual page that contains PATTERN, while
# COMMAND works, as start and stop do; and what its output is piped to, whose output goes to $T/example. 1234 becomes $EXAMPLE_PID,
# and -d is left out: the command's end is stop's, however slow the guest is.
example() {
	EXAMPLE=$(sed -n "/^\.Sh EXAMPLES/,/^\.Sh NOTES/{s/^\.Dl //p;s/^# //p;}" "src/$1/$1.8" |
		sed "s/\\\\(dq/\"/g; s/\\\\(aq/'/g; s/\\\\e/\\\\/g; s/1234/${EXAMPLE_PID:-1234}/g; s/ -d [0-9]*//" | grep -F -m 1 -e "$2")
	[ -n "$EXAMPLE" ] || die "the EXAMPLES of $1.8 have no command with $2"
	shift 2
	eval "start ${EXAMPLE%% | *}"
	"$@"
	stop
	case $EXAMPLE in
	*" | "*) sh -c "${EXAMPLE#* | }" <"$T/out" >"$T/example" 2>&1 ;;
	*) rows "$T/out" >"$T/example" ;;
	esac
}

# summary ERR: the numbers of the last line, in DELIVERED (of a tool that counts: COUNTED), LOST, MISSED ("unknown" where it is not counted), FILTERED,
# UNREAD, IN_FLIGHT and NEVER_RETURNED
summary() {
	DELIVERED= COUNTED= LOST= MISSED= FILTERED=0 UNREAD=0 IN_FLIGHT=0 NEVER_RETURNED=0
	LINE=$(tail -n 1 "$1")
	IFS_BEFORE=$IFS IFS=', '
	set -f
	# shellcheck disable=SC2086
	set -- $LINE
	set +f
	IFS=$IFS_BEFORE
	while shift && [ $# -ge 2 ]; do
		case $1 in
		delivered) DELIVERED=$2 ;;
		counted) COUNTED=$2 ;;
		lost) LOST=$2 ;;
		missed) MISSED=$2 ;;	# or unknown before Linux 6.7
		filtered) FILTERED=$2 ;;
		unread) UNREAD=$2 ;;
		in) shift; IN_FLIGHT=$2 ;;	# in flight N
		never) shift; NEVER_RETURNED=$2 ;;	# never returned N
		"("*) while [ "${1%")"}" = "$1" ] && [ $# -gt 1 ]; do shift; done; continue ;;	# a remark
		*) continue ;;
		esac
		shift
	done
	[ -n "$DELIVERED$COUNTED" ] && [ -n "$LOST" ] && [ -n "$MISSED" ] && return
	not_ok "$COMMAND: its last line on stderr is no summary"
	return 1
}

# rows OUT: the rows alone, spaces squeezed (tests/workload/printed_rows.c)
rows() { printed_rows "$1"; }

# words FIELD FILE: makes the errno that each line has in that field (2, or -2) the word that rows have; 0 stays
words() {
	awk -v field="$1" 'BEGIN {
		split("1 EPERM 2 ENOENT 3 ESRCH 4 EINTR 6 ENXIO 7 E2BIG 8 ENOEXEC 9 EBADF 11 EAGAIN 12 ENOMEM 13 EACCES 14 EFAULT 16 EBUSY " \
			"17 EEXIST 18 EXDEV 19 ENODEV 20 ENOTDIR 21 EISDIR 22 EINVAL 24 EMFILE 26 ETXTBSY 29 ESPIPE 30 EROFS 36 ENAMETOOLONG 39 ENOTEMPTY " \
			"40 ELOOP 95 EOPNOTSUPP 99 EADDRNOTAVAIL 101 ENETUNREACH 110 ETIMEDOUT 111 ECONNREFUSED 113 EHOSTUNREACH", list, " ")
		for (i = 1; i in list; i += 2)
			word[list[i]] = list[i + 1]
	}
	{
		number = $field
		sub(/^-/, "", number)
		if (number in word)
			$field = word[number]
		print
	}' "$2" >"$2.words" && mv "$2.words" "$2"
}

# has_row PATTERN: whether there is a row like that; a pattern as in "case", single spaces
has_row() { printed_rows -m "$1" "$T/out"; }

# row PATTERN [TEXT]: ok if there is such a row; no_row: if there is none
row() { check "${2:-row: $1}" has_row "$1"; }
no_row() {
	has_row "$1"
	# any other status: there is nothing to look in
	if [ $? = 1 ]; then ok "${2:-no row: $1}"; else not_ok "${2:-no row: $1}"; fi
}

# same_rows FILE TEXT: ok if the rows are exactly the lines of FILE, in their order, and not none
same_rows() {
	rows "$T/out" >"$T/rows"
	if [ ! -s "$1" ]; then
		not_ok "$2: no row is expected"
	elif [ ! -s "$T/rows" ]; then
		not_ok "$2: no rows"
	elif cmp -s "$1" "$T/rows"; then
		ok "$2"
	else
		not_ok "$2: (- expected, + shown)"
		diff "$1" "$T/rows" | sed '1,2d' | grep '^[-+]' | head -n 20 | sed 's/^/#   /'
	fi
}

# same_but_missed TEXT: ok if each line of $T/shown is one of $T/expected, and no more of these are absent than the summary has as missed.
# For many events in a row: from 7.0 on most programs are on events' records, and the kernel skips one where an interrupt hit another program.
same_but_missed() {
	if [ -s "$T/expected" -a -s "$T/shown" ] && awk -v missed="$MISSED" '
		NR == FNR { count[$0]++; next }
		!(count[$0]-- > 0) { print "+" $0; more++ }
		END {
			for (line in count)
				for (; count[line] > 0; count[line]--) { print "-" line; absent++ }
			exit more || absent > missed + 0
		}' "$T/expected" "$T/shown" >"$T/diff"
	then
		ok "$1"
	else
		not_ok "$1: (- expected, + shown; missed $MISSED)"
		head -n 20 "$T/diff" | sed 's/^/#   /'
	fi
}

# schema TOOL FILE: ok if docs/json.md has all that the tool printed into FILE with -j: each key, with its type; and an event has all
# keys that the page says its tool has. "counts" as a third argument: of --count, whose rows have some of these keys, and count or others.
schema() {
	{ head -n 50 "$2"; tail -n 5 "$2"; } | jq -r '
		. as $record | .type as $type |
		if $type == "event" or $type == "row" then to_entries[] | "\($type) \(.key) \(.value | type)"
		else paths | select(last | type == "string") | . as $path |
			"other \(map(if type == "number" then "[]" else "." + . end) | add | ltrimstr(".")) \($record | getpath($path) | type)"
		end' 2>&1 | sort -u >"$T/keys"
	awk -v tool="$1" -v counts="${3-}" '
		function bare(text) { gsub(/^ +| +$/, "", text); return text }
		function has(key, type) { return (key in types) && (" " types[key] " ") ~ " " type " " }
		FNR == 1 { file++ }
		file == 1 && /^## / { part = /Keys of records/ ? "other" : /Keys of events/ ? "event" : /Which/ ? "tools" : "" }
		file == 1 && /^\|/ {
			gsub(/\\\|/, "/")
			split($0, cell, "|")
			key = bare(cell[2])
			if (part == "tools" && key == tool) {
				known = 1
				count = split(bare(cell[3]), wanted, " ")
			} else if (part != "") {
				gsub(/ or /, " ", cell[3])
				types[part " " key] = bare(cell[3])
			}
		}
		file == 2 && $1 == "other" {
			inner = $2
			sub(/^hist\.key\./, "", inner)
			if (has("other " $2, $3) || (inner != $2 && has("event " inner, $3)))
				next
			print "# " $2 ": " (("other " $2) in types ? "its type is " $3 : "docs/json.md does not list it")
		}
		file == 2 && $1 != "other" {
			events = seen[$2] = 1
			base = $2
			# of --sum and --avg
			if (counts != "" && $3 ~ /^(number|null)$/ && sub(/^(sum|avg)_/, "", base) && has("event " base, "number"))
				next
			base = $2
			if ($2 == "type" || $2 == "tool" || has("event " $2, $3) || (sub(/_(hex|more|id)$/, "", base) && ("event " base) in types))
				next
			print "# " $2 ": " (("event " $2) in types ? "its type is " $3 : "docs/json.md does not list it")
		}
		END {
			if (!known && events)
				print "# docs/json.md has no line for " tool
			if (counts != "")
				of_tool["count"] = of_tool["others"] = 1
			for (i = 1; i <= count; i++) {
				of_tool[wanted[i]] = 1
				if (counts == "" && events && !(wanted[i] in seen))
					print "# " wanted[i] ": docs/json.md says that " tool " has it"
			}
			for (key in seen) {
				base = key
				sub(/_(hex|more|id)$/, "", base)
				if (key !~ /^(type|tool|host|ts_ns|time)$/ && !(base in of_tool) && !(key in of_tool))
					print "# " key ": docs/json.md does not say that " tool " has it"
			}
		}' docs/json.md "$T/keys" >"$T/schema" || echo "# docs/json.md cannot be compared" >"$T/schema"
	check "JSON: all keys of $1 are in docs/json.md" [ -s "$T/keys" -a ! -s "$T/schema" ]
	cat "$T/schema"
}

# error STATUS PATTERN TEXT COMMAND…: ok if the command fails with that status, nothing on stdout and exactly one line on
# stderr, which matches
error() {
	show_failure
	WANTED=$1 PATTERN=$2 WHAT=$3; shift 3
	COMMAND="$*"
	within $PATIENCE "$@" >"$T/out" 2>"$T/err"
	STATUS=$?
	LINE= SECOND= LINES=0
	{ ! IFS= read -r LINE || LINES=1; ! IFS= read -r SECOND && [ -z "$SECOND" ] || LINES=2; } <"$T/err"
	case $LINE in
	$PATTERN) ;;
	*) not_ok "$WHAT: the message is '$LINE', not like '$PATTERN'"; return ;;
	esac
	if [ $STATUS != "$WANTED" ]; then
		not_ok "$WHAT: exit status $STATUS, not $WANTED"
	elif [ $LINES != 1 ]; then
		not_ok "$WHAT: not one line on stderr, but $([ $LINES = 0 ] && echo none that ends || echo more)"
	elif [ -s "$T/out" ]; then
		not_ok "$WHAT: something on stdout too"
	else
		ok "$WHAT"
	fi
}

# What the tool printed, after a failure.
show_failure() {
	[ -n "$FAILED" ] && [ -z "$SHOWN" ] && [ -n "$COMMAND" ] || return 0
	SHOWN=1
	echo "# \$ $COMMAND"
	for FILE in out err; do
		[ -s "$T/$FILE" ] || continue
		tail -n 20 "$T/$FILE" | cut -c 1-200 | sed "s/^/#   std$FILE: /"
	done
}

# The exit status is 0, or 100 if a check failed, which tests/in-guest takes for no failure of its own: no command ends so by chance.
end_of_test() {
	[ "$1" = 0 ] || [ -n "$FAILED" ] || not_ok "the test ends with exit status $1"
	[ -z "$TOOL_PID" ] || kill -KILL "$TOOL_PID" 2>/dev/null
	show_failure
	rm -rf "$T"
	[ -z "$FAILED" ] || exit 100
	exit 0
}
