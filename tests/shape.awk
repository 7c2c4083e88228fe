# SPDX-License-Identifier: BSD-2-Clause
# Compares what a page shows of a command's output with what the command printed: awk -f tests/shape.awk PAGE OUTPUT
#
# Each line of the page must be among the printed ones, the table's header before the rows; "..." or "…" stands for lines left out.
# What differs from run to run is not compared: times, numbers of processes and CPUs, ports, counts, addresses, and
# numbers of three digits and more. Other
# values are: names, paths, errors, results, exit codes. A call in a tree (funcgraph) is compared with those that it is inside of.
# Of a summary line, that nothing was lost is compared. Prints what is missing; exit status 1 if anything is.

# Columns whose values differ from run to run.
function moving(name) {
	return name ~ /^(TIME|PID|PPID|TID|TPID|NETNS|LPORT|CGROUP|CPU|COUNT|US|CPU_US)$/ || name ~ /\((s|ms|us|kB)\)$/
}

# A line of a tree: what stands in front of the call, and the path to it, of the functions that the line is indented below.
function tree_shape(line,    i, level, call, path) {
	call = substr(line, tree)
	match(call, /^ */)
	level = int(RLENGTH / 2)
	call = substr(call, RLENGTH + 1)
	for (i = 0; i < level; i++)
		path = path inside[i] "/"
	if (call != "}") {
		inside[level] = call
		sub(/\(.*/, "", inside[level])
	}
	return words_shape(substr(line, 1, tree - 1)) " " path call
}

function shape(line) {
	gsub(/\r/, "", line)
	if (line ~ /^[a-z]+: (delivered|counted) [0-9]+, lost /) {
		sub(/d [0-9]+/, "d #", line)
		# the rest depends on the kernel
		sub(/, (missed|filtered).*/, "", line)
		return line
	}
	# what a flight recorder has kept: how much depends on the machine's speed
	sub(/: [0-9]+ records, [0-9]+ older, [0-9]+ later, [0-9]+ overwritten$/, ": # records", line)
	if (tree && !is_header(line))
		return tree_shape(line)
	# a histogram's bars are long or short; its buckets are those of the machine
	if (line ~ /->/ && line ~ /\|/)
		return "# -> # : # |bar|"
	if (line ~ /^ *count [0-9]+, avg /)
		return "count #, avg"
	# lines of the kernel's own tracers: the task, the CPU and times go; so do addresses and the bytes of instructions
	if (line ~ / <-[a-z_]+$/)
		sub(/^.*: /, "", line)
	if (line ~ /^ *[0-9]+\) .*\|  /)
		sub(/^[^|]*/, "", line)
	gsub(/0x[0-9a-f]+/, "ADDRESS", line)
	gsub(/ [0-9a-f][0-9a-f] [0-9a-f][0-9a-f] [0-9a-f][0-9a-f] [0-9a-f][0-9a-f] [0-9a-f][0-9a-f]/, " BYTES", line)
	return words_shape(line)
}

# The words of a line, without those that differ.
function words_shape(line,    n, i, word, result) {
	n = split(line, word, " ")
	result = ""
	for (i = 1; i <= n; i++) {
		if (i in moves)
			word[i] = "#"
		# a count in front of a row, as of uniq -c
		else if (i == 1 && !columns && word[i] ~ /^[0-9]+$/)
			word[i] = "#"
		gsub(/[0-9][0-9][0-9][0-9.:]*/, "#", word[i])
		result = result (i > 1 ? " " : "") word[i]
	}
	return result
}

# Of anysnoop, which has the event's own names beside these.
function has_fields(line) { return line ~ /^PID +COMM +CPU +[^ ]/ || line ~ /^[A-Za-z].* COUNT *$/ }

function is_header(line) { return has_fields(line) || is_upper(line) }

function is_upper(line) { return line ~ /^ *[A-Z][A-Z_]*(\([a-z]+\))?( +[A-Z][A-Z_]*(\([a-zA-Z]+\))?)* *$/ }

function read_header(line,    n, i, word) {
	columns = 1
	n = split(line, word, " ")
	for (i = 1; i <= n; i++)
		if (moving(word[i]))
			moves[i] = 1
}

{ file = FILENAME == ARGV[1] ? 1 : 2 }
# the day, in the header of a table with times; the columns stay where they are
{ sub(/^TIME [0-9]+-[0-9]+-[0-9]+ /, "TIME            ") }
file == 1 && /^ *(…|\.\.\.) *$/ { next }
FNR == 1 { tree = 0 }
/ US CALL *$/ { tree = index($0, "CALL") }
is_header($0) && !columns { read_header($0) }
{ line = shape($0) }
file == 1 { wanted[++count] = line; shown[count] = $0 }
file == 2 { printed[line] = 1 }
END {
	for (i = 1; i <= count; i++)
		if (!(wanted[i] in printed)) {
			print shown[i]
			status = 1
		}
	exit status
}
