# SPDX-License-Identifier: BSD-2-Clause
# What came of the tests, from the files that tests/run left in dir: the table, the accounting law's numbers, what was skipped
# and why, what failed and how to run it again. The last line: "N passed, N failed, N skipped". Exit status 1 if any failed.
#
# Variables: dir, kernels (columns), gone (kernels that the archive has no more), host_tests, guest_tests (rows), seconds (that all
# of it took). Where the CPU time went is in dir/cpu too: kernel, test, part, seconds.

# Whether release "6.1.0-50-amd64" is `since` "6.7" or newer.
function newer(release, since,    a, b, n, i) {
	n = split(since, b, ".")
	split(release, a, /[-.+]/)
	for (i = 1; i <= n; i++)
		if (a[i] + 0 != b[i] + 0)
			return a[i] + 0 > b[i] + 0
	return 1
}

# Why a skip is not to be believed, or "": it must name the release that brought what the kernel lacks, or an option
# that the kernel was built without; or TIME, where the run took so long.
function disbelief(kernel, text,    reason, word) {
	if (!match(text, /: needs [^ ]+ [^ ]/))
		return "names no kernel release or option (needs RELEASE FEATURE, needs CONFIG_OPTION FEATURE)"
	reason = substr(text, RSTART + 8)
	word = reason
	sub(/ .*/, "", word)
	if (word ~ /^[0-9]+\.[0-9]+$/)
		return newer(release[kernel], word) ? "the kernel is " release[kernel] ": that has it" : ""
	if (word ~ /^CONFIG_[A-Z0-9_]+$/)
		return (kernel, word) in config ? "the kernel has " word : ""
	# tests/run has looked
	if (kernel == "host" && word == "ROOT")
		return (getline word < (dir "/host.root")) >= 0 ? "this is root, and may mount" : ""
	if (word == "TIME")
		return seconds < late ? "the run had time" : ""
	return "'" word "' is no kernel release and no option"
}

function add_failure(kernel, test, text) {
	failed[kernel, test]++
	failures++
	detail[kernel, test] = detail[kernel, test] text "\n"
}

function read_kernel(kernel,    file, line, name) {
	file = dir "/" kernel ".release"
	getline release[kernel] < file
	close(file)
	file = dir "/" kernel ".config"
	while ((getline line < file) > 0)
		if (line ~ /^CONFIG_[A-Z0-9_]+=[ym]/) {
			sub(/=.*/, "", line)
			config[kernel, line] = 1
		}
	close(file)
}

# Which part of a test a file is.
function part_of(file) {
	sub(/^tests\/common\//, "", file)
	if (file ~ /^src\//) return "own"
	if (file ~ /^tests\/guest\//) return "guest"
	if (file ~ /^tests\/gates\//) return "gates"
	return file
}

# The CPU time of a guest, or of a job of the host, is so much now: what it took since the last time was for the part.
function add_cpu(kernel, test, part, now) {
	cpu[kernel, test, part] += now - cpu_before
	if (!((part) in part_seen)) {
		part_seen[part] = 1
		parts[++part_count] = part
	}
	part_cpu[kernel, part] += now - cpu_before
	kernel_cpu[kernel] += now - cpu_before
	print kernel "\t" test "\t" part "\t" sprintf("%.1f", now - cpu_before) > (dir "/cpu")
	cpu_before = now
}

function read_output(kernel,    file, line, test, word, why, showing, row, part, part_next, last) {
	file = dir "/" kernel ".out"
	test = ""
	part = kernel == "host" ? "host" : "boot"
	part_next = part
	last = "-"
	cpu_before = 0
	while ((getline line < file) > 0) {
		split(line, word, " ")
		if (line ~ /^@ tool /) {
			test = word[3]
			begun[kernel, test] = 1
			showing = 0
		} else if (line ~ /^@ test /) {
			part_next = part_of(word[3])
			showing = 0
		} else if (line ~ /^@ end /) {
			ended[kernel, test] = 1
			if (kernel == "host")
				last = test
			test = ""
		} else if (line ~ /^@ cpu /) {
			# each job of the host begins at nothing
			if (word[3] + 0 < cpu_before)
				cpu_before = 0
			add_cpu(kernel, last, part, word[3] + 0)
			part = part_next
			last = test == "" ? last : test
		} else if (line ~ /^@ guest /) {
			guest_status[kernel] = word[3]
		} else if (line ~ /^@ attach /) {
			# "@ attach TOOL MODE RESULT…"
			row = word[3] " " word[4]
			if (!(row in attach_seen))
				attach_rows[++attach_count] = row
			attach_seen[row] = 1
			sub(/^@ attach [^ ]+ [^ ]+ /, "", line)
			attach[kernel, row] = line
		} else if (line ~ /^@ law /) {
			laws[test] = 1
			runs[test]++
			generated[test] += word[3]; delivered[test] += word[4]; lost[test] += word[5]; missed[test] += word[6]
			filtered[test] += word[7]
		} else if (line ~ /^ok /) {
			good[kernel, test]++
			passes++
			showing = 0
		} else if (line ~ /^skip /) {
			why = disbelief(kernel, line)
			if (why != "") {
				add_failure(kernel, test, "not " line "\n#   a skip that is not believed: " why)
			} else {
				skips++
				skipped[kernel, test]++
				sub(/^skip - /, "", line)
				skip_list[++skip_count] = kernel "\t" test "\t" line
				if (line ~ /^all of it: needs /) {
					sub(/^all of it: needs [^ ]+ /, "", line)
					lacks[kernel, test] = line
				}
			}
			showing = 0
		} else if (line ~ /^not ok /) {
			add_failure(kernel, test, line)
			showing = 1
		} else if (line ~ /^@/) {
			showing = 0
		} else if (showing && test != "") {
			detail[kernel, test] = detail[kernel, test] line "\n"
		} else if (test != "") {
			beside[kernel, test] = beside[kernel, test] "    " line "\n"
		}
	}
	close(file)
}

# A file's last lines, indented.
function tail(file, count,    line, lines, n, i) {
	n = 0
	while ((getline line < file) > 0) {
		sub(/\r$/, "", line)
		lines[n++] = line
	}
	close(file)
	for (i = n > count ? n - count : 0; i < n; i++)
		print "    " lines[i]
}

function read_health(kernel,    file, line, text) {
	file = dir "/" kernel ".health"
	text = ""
	while ((getline line < file) > 0)
		text = text line "\n"
	close(file)
	begun[kernel, "kernel"] = ended[kernel, "kernel"] = 1
	if (guest_status[kernel] != "0")
		add_failure(kernel, "kernel", "not ok - the guest ends with status " guest_status[kernel] " (see ci/vm)")
	if (text != "ok\n")
		add_failure(kernel, "kernel", "not ok - the kernel's log\n" text)
	if (!failed[kernel, "kernel"]) {
		good[kernel, "kernel"] = 1
		passes++
	}
}

# Whether tests/run meant the test to run there (5.10-rt has some of them only).
function is_run_on(kernel, test,    file, line) {
	if (!(kernel in run_on)) {
		file = dir "/" kernel ".tests"
		if ((getline line < file) < 0)
			line = guest_tests
		close(file)
		run_on[kernel] = " " line " "
	}
	return index(run_on[kernel], " " test " ") || part_run(kernel, test) != ""
}

# Which part of a tool's tests was run there, if not all: its own test ("own"), the law ("law"), or both ("own+law").
function part_run(kernel, test,    part) {
	for (part in parts)
		if (index(run_on[kernel], " " test ":" part " "))
			return parts[part]
	return ""
}

# The cell of the table.
function cell(kernel, test) {
	if (!((kernel, test) in wanted))
		return ""
	if (failed[kernel, test])
		return "FAIL"
	if ((kernel, test) in lacks)
		return "no " lacks[kernel, test]
	if (kernel in run_on && part_run(kernel, test) != "") {
		partial_cells++
		return part_run(kernel, test)
	}
	return "pass"
}

function pad(text, width) {
	while (length(text) < width)
		text = text " "
	return text
}

function table(rows, row_count, columns, column_count,    i, j, width, text, line) {
	for (j = 0; j <= column_count; j++) {
		width[j] = j ? length(columns[j]) : 4
		for (i = 1; i <= row_count; i++) {
			text = j ? cell(columns[j], rows[i]) : rows[i]
			if (length(text) > width[j])
				width[j] = length(text)
		}
	}
	line = pad("", width[0])
	for (j = 1; j <= column_count; j++)
		line = line "  " pad(columns[j], width[j])
	print line
	for (i = 1; i <= row_count; i++) {
		line = pad(rows[i], width[0])
		for (j = 1; j <= column_count; j++)
			line = line "  " pad(cell(columns[j], rows[i]), width[j])
		sub(/ +$/, "", line)
		print line
	}
}

# Where the CPU time went: parts down, kernels across.
function cpu_table(    i, k, line, sum, all_sum) {
	if (!part_count)
		return
	line = pad("", 20)
	for (k = 1; k <= kernel_count; k++)
		line = line sprintf("%9s", all[k])
	print "\nCPU time, in seconds (each test's is in " dir "/cpu):"
	print line sprintf("%9s", "all")
	for (i = 1; i <= part_count; i++) {
		line = pad(part_name[parts[i]] == "" ? parts[i] : part_name[parts[i]], 20)
		sum = 0
		for (k = 1; k <= kernel_count; k++) {
			line = line sprintf("%9s", (all[k], parts[i]) in part_cpu ? sprintf("%.0f", part_cpu[all[k], parts[i]]) : "")
			sum += part_cpu[all[k], parts[i]]
		}
		all_sum += sum
		print line sprintf("%9.0f", sum)
	}
	line = pad("all", 20)
	for (k = 1; k <= kernel_count; k++)
		line = line sprintf("%9.0f", kernel_cpu[all[k]])
	print line sprintf("%9.0f", all_sum)
	if (seconds)
		printf "in %d s\n", seconds
}

# What tests/guest/attach found: tools and modes down, kernels across.
function attach_table(    i, j, kernel, line) {
	if (!attach_count)
		return
	line = pad("", 20)
	for (j = 1; j <= guest_column_count; j++)
		line = line "  " pad(guest_columns[j], 16)
	print "\nmodes of --attach:"
	print line
	for (i = 1; i <= attach_count; i++) {
		line = pad(attach_rows[i], 20)
		for (j = 1; j <= guest_column_count; j++)
			line = line "  " pad(attach[guest_columns[j], attach_rows[i]], 16)
		sub(/ +$/, "", line)
		print line
	}
}

BEGIN {
	parts["own"] = "own"; parts["law"] = "law"; parts["own:law"] = "own+law"
	part_name["own"] = "tools' own tests"
	part_name["guest"] = "tests/guest"
	part_name["gates"] = "tests/gates"
	part_name["cli"] = "tests/common/cli"
	part_name["law"] = "tests/common/law"
	part_name["output"] = "tests/common/output"
	kernel_count = split(kernels, all, " ")
	host_count = split(host_tests, host_rows, " ")
	guest_count = split(guest_tests " kernel", guest_rows, " ")
	for (k = 1; k <= kernel_count; k++) {
		kernel = all[k]
		if (kernel != "host")
			read_kernel(kernel)
		read_output(kernel)
		if (kernel == "host") {
			has_host = host_columns[1] = "host"
			count = host_count
		} else {
			guest_columns[++guest_column_count] = kernel
			count = guest_count
			read_health(kernel)
		}
		for (i = 1; i <= count; i++) {
			test = kernel == "host" ? host_rows[i] : guest_rows[i]
			if (kernel != "host" && test != "kernel" && !is_run_on(kernel, test))
				continue
			wanted[kernel, test] = 1
			if (!((kernel, test) in begun))
				add_failure(kernel, test, "not ok - it did not run")
			else if (!((kernel, test) in ended))
				add_failure(kernel, test, "not ok - it did not end")
			else if (!good[kernel, test] && !skipped[kernel, test] && !failed[kernel, test])
				add_failure(kernel, test, "not ok - it checked nothing")
		}
	}

	for (k = 1; k <= kernel_count; k++)
		for (i = 1; i <= (all[k] == "host" ? host_count : guest_count); i++) {
			kernel = all[k]
			test = kernel == "host" ? host_rows[i] : guest_rows[i]
			if (!failed[kernel, test])
				continue
			print "\n==== " test " on " kernel
			printf "%s", detail[kernel, test]
			if (beside[kernel, test] != "")
				printf "  what the test said beside:\n%s", beside[kernel, test]
			if (kernel != "host") {
				print "  the end of the kernel's log (" dir "/" kernel ".log):"
				tail(dir "/" kernel ".log", 15)
				print "  what the guest said beside (" dir "/" kernel ".err):"
				tail(dir "/" kernel ".err", 15)
			}
			print "  again: make test KERNELS=" kernel " TOOLS=" (test == "kernel" ? "\"" guest_tests "\"" : test)
		}

	if (has_host) {
		print ""
		table(host_rows, host_count, host_columns, 1)
	}
	if (guest_column_count) {
		print ""
		table(guest_rows, guest_count, guest_columns, guest_column_count)
		if (partial_cells)
			print "own: its own test passed; law: the law; the rest ran for others of its kind there (tests/README.md)"
	}
	attach_table()
	cpu_table()
	count = split(gone, all_gone, " ")
	for (i = 1; i <= count; i++) {
		skips++
		skip_list[++skip_count] = all_gone[i] "\tall tests\tthe archive has no such kernel any more (ci/kernels.table)"
	}
	if (skip_count) {
		print "\nskipped:"
		for (i = 1; i <= skip_count; i++) {
			split(skip_list[i], word, "\t")
			print "  " word[1] ": " word[2] ": " word[3]
		}
	}
	for (i = 1; i <= guest_count; i++) {
		test = guest_rows[i]
		if (!(test in laws))
			continue
		if (!law_head++)
			print "\nthe accounting law, over all runs on all kernels:"
		printf "  %s: %d runs: generated %d = delivered %d + lost %d + missed %d + filtered %d%s\n", \
			test, runs[test], generated[test], delivered[test], lost[test], missed[test], filtered[test], \
			generated[test] == delivered[test] + lost[test] + missed[test] + filtered[test] ? "" : \
			"  DOES NOT ADD UP"
	}
	printf "\n%d passed, %d failed, %d skipped\n", passes, failures, skips
	exit failures > 0
}
