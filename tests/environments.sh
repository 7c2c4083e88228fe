# SPDX-License-Identifier: BSD-2-Clause
# What tests/guest/environment-* share: tools in a machine that is not like the others.  In each environment a tool sees known events as it does
# without it, or ends with exit status 1 and a line or two that say what is missing.
#
#	in_NAME COMMAND…	a function of the test: runs the command in the environment NAME, by exec
#	during_NAME	one that is called once the tool is ready
#	then_NAME	one that is called when the events have happened, before the tool is ended
#	meets NAME [TOOL…]	runs the tools there; with FULL in the environment all tools.  Without tools: one of each kind
#	refuses NAME PATTERN [TOOL…]	from now on these tools (all) must refuse to run in NAME, with a line that matches; others must run
#	refuses_hooks, may_refuse_hooks NAME PATTERN HOOKS OTHER	the same for those that hook something of this kind in OTHER, as their start records say: so no
#			list of tools is kept by hand
#
# ENVIRONMENTS="NAME …" chooses some; TOOLS_THERE="TOOL …" chooses tools.  Each result is a line "# NAME: TOOL: …", of which docs/kernels.md has a table
# (tests/environments-table).
. tests/lib.sh

# Each environment's runs are compared with those of this one.
in_none() { exec "$@"; }

ALL_TOOLS=$(for file in src/*/test; do echo "$file" | cut -d / -f 2; done)
# One of each kind: programs that are made, counts, a raw tracepoint, system calls, the kernel's own tracer
KINDS="anysnoop biolatency exitsnoop opensnoop funcgraph"

# command_of TOOL: with the options under which its workload makes events that it shows
command_of() {
	with=$(sed -n 's/^# law with: //p' "src/$1/test")
	[ -n "$with" ] || with=$(sed -n 's/^# starts with: //p' "src/$1/test")
	case $1 in
	ctxgen) echo ctxgen sched/sched_switch ;;
	probestat) echo probestat __x64_sys_getpgid ;;
	tracepipe) echo tracepipe -d 0.1 ;;
	funccount|funclatency) echo "$1 -j $with" ;;
	functrace|funcgraph) echo "$1 -j $with vfs_open" ;;
	*) echo "$1 -j $with" ;;
	esac
}

# seen TOOL: how many events of the workload's are in the output: rows by its writers, or all that a tool counts of known keys
seen() {
	case $1 in
	funccount|funclatency|syscount) sed -n 's/^{"type":"summary".*"counted":\([0-9]*\).*/\1/p' "$T/out" ;;
	*) grep -c '"comm":"law_writer"' "$T/out" ;;
	esac
}

# adds_up NAME: whether the summary has all of the workload's events
adds_up() {
	[ "$1" != stderr_closed ] || { echo yes; return; }
	generated=$(sed -n 's/^generated \([0-9]*\) .*/\1/p' "$T/did")
	[ "$MISSED" != unknown ] || MISSED=0
	sum=$((DELIVERED + COUNTED + IN_FLIGHT + LOST + MISSED + FILTERED))
	if [ $sum -ge "${generated:-0}" ]; then echo yes; else echo "$sum of $generated"; fi
}

# now_ns: the clock of ts_ns
now_ns() { awk '/^now at/ { print $3; exit }' /proc/timer_list; }

# in_time: whether the events that the workload made have times between its begin and its end
in_time() {
	sed -n '/"type":"event".*"comm":"law_writer"/s/.*"ts_ns":\([0-9]*\),"time":"\([^".]*\).*/\1 \2/p' "$T/out" |
		awk -v begin="$BEGIN_NS" -v end="$END_NS" -v from="$BEGIN_UTC" -v to="$END_UTC" '
			$1 < begin || $1 > end || $2 < from || $2 > to { wrong = wrong " " $1 " " $2 }
			END { print wrong == "" ? "in time" : "not between " begin " " from " and " end " " to ":" wrong }'
}

# process_of PID TOOL: the tool, where the environment's command has made another process of it
process_of() {
	read -r child others 2>/dev/null <"/proc/$1/task/$1/children"
	case $(cat "/proc/$1/comm") in
	"$2") echo "$1" ;;
	*) echo "${child:-$1}" ;;
	esac
}

# there NAME COMMAND…: runs a tool's command there while the tool's workload makes three events; $STATUS, and $READY if it got ready
there() {
	environment=$1; shift
	show_failure
	COMMAND="$* ($environment)" READY=
	: >"$T/out"
	"in_$environment" "$@" >"$T/out" 2>"$T/err" &
	TOOL_PID=$!
	case $1 in
	ctxgen|probestat|tracepipe) ;;
	*)
		if await $PATIENCE line "$T/out" $TOOL_PID; then
			READY=1
			! command -v "during_$environment" >/dev/null || "during_$environment"
			BEGIN_NS=$(now_ns) BEGIN_UTC=$(date -u +%Y-%m-%dT%H:%M:%S)
			[ ! -x "build/workload/law_$1" ] || echo | within $PATIENCE "law_$1" 3 1 >"$T/did" || not_ok "the workload law_$1"
			END_NS=$(now_ns) END_UTC=$(date_after +%Y-%m-%dT%H:%M:%S)
			! command -v "then_$environment" >/dev/null || "then_$environment"
			kill -INT "$(process_of $TOOL_PID "$1")" 2>/dev/null
		fi ;;
	esac
	if ! await $PATIENCE end $TOOL_PID; then
		kill -KILL "$(process_of $TOOL_PID "$1")" $TOOL_PID
		die "$COMMAND does not end"
	fi
	wait $TOOL_PID
	STATUS=$?
	TOOL_PID=
}

# may_refuse NAME PATTERN: tools may refuse to run there, if their line matches
MAY_REFUSE=
may_refuse() {
	MAY_REFUSE="$MAY_REFUSE
$1|$2|"
}

# result NAME TOOL: what became of it, as "works", "works, and warns: …" or the line, in $RESULT; or "" with $WRONG
result() {
	RESULT= WRONG=
	grep -v "^$2: \(delivered\|counted\|engine\|interrupts off\|attached\) " "$T/err" >"$T/said"
	case $STATUS in
	0)
		case $2 in
		ctxgen|probestat) [ -s "$T/out" ] || WRONG="nothing on stdout" ;;
		tracepipe) ;;
		*) [ "$1" = stderr_closed ] || summary "$T/err" || WRONG="no summary" ;;
		esac
		warning=$(grep -m 1 ': warning: ' "$T/said")
		RESULT="works${warning:+, and warns: ${warning#*: warning: }}" ;;
	1)
		[ ! -s "$T/out" ] || WRONG="something on stdout, too"
		case $(wc -l <"$T/said") in
		1|2) ;;
		*) WRONG="$(wc -l <"$T/said") lines on stderr" ;;
		esac
		! grep -q "^$2: warning: " "$T/said" || WRONG="a warning beside the reason"
		! grep -qv "^$2: " "$T/said" || WRONG="a line that is not the tool's own"
		RESULT=$(sed "s/^$2: //" "$T/said" | grep -v '^warning: ' | head -n 1) ;;
	*) WRONG="exit status $STATUS" ;;
	esac
	[ -z "$WRONG" ] || RESULT=
}

# keep_hooks NAME TOOL: keeps what the tool, which has just run in NAME, hooks there, a kind a line, as its start record says: "raw_tp", "kprobe.link" (and
# its mode) …; "nothing" for a tool that has none.  One that has refused to run keeps nothing.
keep_hooks() {
	[ "$STATUS" = 0 ] || return 0
	jq -r 'select(.type == "start").start.probes[] | .kind + (if .mode then "." + .mode else "" end)' "$T/out" 2>"$T/jq" | sort -u >"$T/hooks.$1.$2"
	grep -q -m 1 '^{"type":"start"' "$T/out" || echo nothing >"$T/hooks.$1.$2"
}

# hooks NAME TOOL HOOKS: whether it hooks something there of which the kind matches
hooks() { [ -e "$T/hooks.$1.$2" ] && grep -qxE "$3" "$T/hooks.$1.$2"; }

# patterns LIST NAME TOOL: the patterns of LIST (REFUSALS or MAY_REFUSE) that are for the tool there
patterns() {
	list=$1; shift
	echo "$list" | while IFS='|' read -r name pattern tools; do
		[ "$name" = "$1" ] || continue
		case " $tools " in
		" as "*) tools=${tools#as }; hooks "${tools%% *}" "$2" "$(echo "${tools#* }" | tr ' ' '|')" || continue ;;
		"  "|*" $2 "*) ;;
		*) continue ;;
		esac
		echo "$pattern"
	done
}

# refusal NAME TOOL: the pattern of the line with which the tool must refuse to run there, the first one; none: it must run
refusal() { patterns "$REFUSALS" "$1" "$2" | head -n 1; }

# may_refuse_so NAME TOOL: whether it may refuse to run there with the line that is in $RESULT
may_refuse_so() {
	patterns "$MAY_REFUSE" "$1" "$2" >"$T/patterns"
	while read -r pattern; do
		case $RESULT in
		$pattern) return 0 ;;
		esac
	done <"$T/patterns"
	return 1
}
REFUSALS=
refuses() {
	REFUSALS="$REFUSALS
$1|$2|$(shift 2; echo "$*")"
}

# refuses_hooks NAME PATTERN HOOKS OTHER: those tools must refuse to run in NAME that hook one of these kinds (extended regular expressions, with spaces
# between) in OTHER, which has been met before, or is "none"; or they do without and warn, with a line that matches.
refuses_hooks() {
	REFUSALS="$REFUSALS
$1|$2|as $4 $3"
	[ "$4" != none ] || ALONE_FIRST="$ALONE_FIRST $1 "
}
ALONE_FIRST=

# may_refuse_hooks NAME PATTERN HOOKS: those tools may that hook one of these kinds where nothing is unusual, as there may be another way to the same events.
# Others must run.
may_refuse_hooks() {
	MAY_REFUSE="$MAY_REFUSE
$1|$2|as none $3"
}

# needs_tracefs NAME: tools whose hooks are events or tracers of tracefs may refuse to run in NAME
needs_tracefs() { may_refuse_hooks $1 "*tracefs is not mounted *" "tp event tracer nothing"; }

# alone TOOL: what it sees where nothing is unusual, in $T/seen.TOOL
alone() {
	[ -e "$T/seen.$1" ] && return
	kept="$STATUS|$RESULT|$WRONG"
	there none $(command_of $1)
	result none $1
	keep_hooks none $1
	seen $1 >"$T/seen.$1"
	IFS='|' read -r STATUS RESULT WRONG <<-END
		$kept
	END
}

# alone_first TOOL…: what they see (all with FULL) before a setting of the whole machine is changed, by which those that run alone would be met, too
alone_first() {
	tools=$*
	[ -z "${FULL-}" ] || tools=$ALL_TOOLS
	for its in ${TOOLS_THERE:-$tools}; do
		alone $its
	done
}

# one NAME TOOL: runs it there, and without
one() {
	name=$1 tool=$2
	needs=$(sed -n 's/^# needs \([0-9.]*\) .*/\1/p' "src/$tool/test")
	[ -z "$needs" ] || since "$needs" || return
	option=$(sed -n 's/^# config: \([A-Z_]*\) .*/\1/p' "src/$tool/test")
	[ -z "$option" ] || config "$option" || return
	case $ALONE_FIRST in *" $name "*) alone "$tool" ;; esac
	expected=$(refusal "$name" "$tool")
	[ -n "$expected" ] || alone "$tool"
	there $name $(command_of $tool)
	result $name $tool
	echo "# $name: $tool: ${RESULT:-$WRONG}"
	keep_hooks $name $tool
	saw="$(seen $tool) $(adds_up $name) $(in_time)"
	# it does without what it may not have: then its events are the same
	case $STATUS:$RESULT in
	"0:works, and warns: "$expected)
		expected=
		alone "$tool" ;;
	esac
	if [ -n "$WRONG" ]; then
		not_ok "$name: $tool: $WRONG"
	elif [ -n "$expected" ]; then
		case $STATUS:$RESULT in
		1:$expected) ok "$name: $tool says so" ;;
		*)
			if [ $STATUS = 1 ] && may_refuse_so "$name" "$tool"; then
				ok "$name: $tool says so"
			else
				not_ok "$name: $tool: '$RESULT', not like '$expected'"
			fi ;;
		esac
	elif [ $STATUS = 1 ] && may_refuse_so "$name" "$tool"; then
		ok "$name: $tool says so"
	elif [ $STATUS != 0 ]; then
		not_ok "$name: $tool runs: $RESULT"
	elif [ -x "build/workload/law_$tool" ]; then
		is "$name: $tool: events of the workload" "$saw" "$(cat "$T/seen.$tool") yes in time"
	else
		ok "$name: $tool runs"
	fi
}

# chosen NAME: whether ENVIRONMENTS has it
chosen() { case " ${ENVIRONMENTS-$1} " in *" $1 "*) ;; *) return 1 ;; esac; }

meets() {
	name=$1; shift
	chosen $name || return 0
	tools=${*:-$KINDS}
	[ -z "${FULL-}" ] || tools=$ALL_TOOLS
	for its in ${TOOLS_THERE:-$tools}; do
		one $name $its
	done
}
