# SPDX-License-Identifier: BSD-2-Clause
# bench/run --check: the baseline against the figures of this run. Exit 1 where one is more than 2 % worse, or missing.
# with: a file that says what this run was made with. Where that is not what the baseline was made with, the figures
# can only be compared roughly: 25 %.
# part: not 0 where only some of the tools were measured. The first start after the boot is then another tool's than in the
# baseline, and pays for what the kernel does once: it is not compared. Of the tools that were not measured nothing is missing.
# form: "short" where lost-4, rate and the parts of a tool were left out.
# directories: what is in src/. Of a tool that has been removed nothing is missing.
# same: 1 where the "baseline" is another boot of the same programs: a figure that is better by more than 0.5 % is as wrong as one
# that is worse. Boots mostly agree to the last digit; on a busy machine one figure was 0.1 % away, from a cause in QEMU that was
# not found.

# "unknown" where a tool does not tell what it should
function is_number(text) {
	return text ~ /^-?[0-9.]+$/
}

function worse_by(then, now, measure) {
	# of the rate, more is better
	if (measure == "rate") return then ? (then - now) / then : 0
	if (!is_number(now)) return 1
	if (measure ~ /first-start$/ && part) return 0
	if (then == 0) return now ? 1 : 0
	return (now - then) / (then < 0 ? -then : then)
}

# How much a workload's own span moves.  TCP connections and switches go by timers, too: three builds that differed in other files
# than the tools' gave tcpaccept 233 instructions of 66,574 more, and tcpstates 58 of 8,255, and one boot gave tcpaccept 694 more.
function span_noise(tool) {
	if (tool ~ /^tcp/) return 0.02
	if (same) return 0.01
	return limit == 0.25 ? 0.005 : 0.002
}

# How far a figure moves with the state of the memory alone: the same tools in another order of pages. A workload's own span is
# known to 0.2 %, with another QEMU and other compilers to 0.5 %, with TCP connections to 2 %, and a page more that the kernel has to clear is 4,096
# instructions.  Of two boots (part), one measures schedsnoop after thirty other tools and one after two: its start took 19,000 and 22,000 more there.
function noise(tool, measure) {
	# Attaching to functions, and detaching, waits for grace periods, which end with a tick: 4 ms, 4 M of the guest's instructions.  Three boots
	# of the same programs had 131.8, 135.8 and 135.7 M at funclatency's start, and 112, 164 and 268 M at its stop.  funcgraph takes the top of
	# tracefs on 6.1 and waits more often: two boots had 568.6 and 580.6 M at its start.
	if (tool ~ /^func(count|graph|latency|trace)$/ && measure ~ /(^|:)stop$/) return 160000000
	if (tool == "funcgraph" && measure ~ /(^|:)(first-start|ready|start)$/) return 40000000
	if (tool ~ /^func(count|latency|trace)$/ && measure ~ /(^|:)(first-start|ready|start)$/) return 12000000
	if (measure ~ /(^|:)(event|filtered)$/) return span_noise(tool) * baseline[tool, "alone"]
	# At the end these name the frames of what slept or ran meanwhile, 33,000 instructions for a function (lib/kernel/names.h): two boots of
	# the same programs had 1,846,565 and 1,895,830 at offcputime's.
	if (tool ~ /^(offcputime|profile|wakeuptime)$/ && measure == "stop") return 100000
	if (measure ~ /(^|:)(first-start|ready|start|stop)$|-(attach|detach)$/) return same && part ? 30000 : 10000
	# A sample comes by a timer: where it meets the workload, in the kernel or not, is how much there is to unwind.  Boots of the same
	# programs had 6,037 to 6,236, and 5,161 and 5,241 for the hook that takes both stacks.
	if (measure == "sample") return 400
	if (measure ~ /^perf_event(_stacks)?$/) return 200
	# The kernel maps 64 kB of a program's file around each page that is used (fault_around_bytes, mm/memory.c): where the linker puts functions
	# decides how many such windows there are. A change in what all tools share gave sigsnoop one more, and no other tool.
	if (measure ~ /(^|:)memory$/) return same ? 0 : 64
	return tool == "hooks" ? 1 : 0
}

function is_noise(tool, then, now, measure) {
	return is_number(now) && now - then <= noise(tool, measure) && then - now <= noise(tool, measure)
}

# Whether the run had to give this figure of the baseline.
function is_due(tool, measure) {
	if (tool in gone) return 0
	if (form == "short" && (measure == "lost-4" || measure == "rate" || measure ~ /:/)) return 0
	return !part || tool in seen_tool
}

BEGIN {
	FS = "\t"
	limit = same ? 0.005 : 0.02
	while ((getline line < with) > 0) now_with[line] = 1
	count = split(directories, name, " ")
	for (i = 1; i <= count; i++) is_here[name[i]] = 1
}

FNR == NR {
	if (sub(/^# with /, "")) { then_with[$0] = 1; next }
	if (!/^#/ && $1 != "tool") { baseline[$1, $2] = $3; order[++baselines] = $1 SUBSEP $2 }
	next
}

FNR == 1 {
	for (line in now_with) if (!(line in then_with)) {
		print "bench: the baseline was not made with " line
		limit = 0.25
	}
	if (limit == 0.25) print "bench: so up to 25 % are let pass (make bench-baseline makes it anew)"
}

# The size comes of each tool, measured or not.
$2 == "ours" { seen[$1, $3] }
$2 == "ours" && $3 != "size" { seen_tool[$1] }

# alone is the workload without a tool: the kernel's cost, not ours
$2 == "ours" && $3 !~ /(^|:)alone$/ {
	key = $1 SUBSEP $3
	measured++
	if (!(key in baseline)) { printf "  new     %-12s %-18s %14s\n", $1, $3, $4; next }
	by = is_noise($1, baseline[key], $4, $3) ? 0 : worse_by(baseline[key], $4, $3)
	if (same && by < 0) by = -by
	if (by > limit) { bad++; printf "  WORSE   %-12s %-18s %14s -> %-14s %+.1f %%\n", $1, $3, baseline[key], $4, 100 * by }
	else if (by < -0.02) printf "  better  %-12s %-18s %14s -> %-14s %+.1f %%\n", $1, $3, baseline[key], $4, 100 * by
}

END {
	for (i = 1; i <= baselines; i++) {
		split(order[i], name, SUBSEP)
		if (!count || name[1] ~ /^hooks/ || name[1] in is_here || name[1] in gone) continue
		gone[name[1]] = 1
		print "bench: " name[1] " is not here any more: its figures are not looked for (make bench-baseline forgets them)"
	}
	for (i = 1; i <= baselines; i++) {
		split(order[i], name, SUBSEP)
		if (order[i] in seen || !is_due(name[1], name[2])) continue
		missing++
		printf "  MISSING %-12s %-18s %14s\n", name[1], name[2], baseline[order[i]]
	}
	if (missing) printf "bench: %d figures of the baseline are missing\n", missing
	printf "bench: %d figures, %d worse than the baseline by more than %g %%\n", measured, bad, 100 * limit
	exit bad || missing || !measured
}
