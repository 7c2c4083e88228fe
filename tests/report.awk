# SPDX-License-Identifier: BSD-2-Clause
# What came of the tests, from the files that tests/run left in dir: the table, the accounting law's numbers, what was skipped
# and why, what failed and how to run it again. The last line: "N passed, N failed, N skipped". Exit status 1 if any failed.
#
# Variables: dir, kernels (columns), guests (the boots, "7.3" and "7.3+smp"), gone (kernels that the archive has no more), host_tests,
# guest_tests (rows), seconds (that all of it took). Where the CPU time went is in dir/cpu too: kernel, test, part, seconds.
#
# A check that failed and passed in a second boot (KERNEL+again.TEST with two CPUs, GUEST+alone.TEST with one) is unstable: it is named, and three
# of them are no failure.

# Whether release "6.1.0-50-amd64" is `since` "6.7" or newer.
function newer(release, since,    a, b, n, i) {
	n = split(since, b, ".")
	split(release, a, /[-.+]/)
	for (i = 1; i <= n; i++)
		if (a[i] + 0 != b[i] + 0)
			return a[i] + 0 > b[i] + 0
	return 1
}

# Why a skip is not to be believed, or "": it must name the release that brought what the kernel lacks, an option
# that the kernel was built without, or a module that it was fetched without.
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
	# one that ci/kernel-modules has with a "?"; a kernel without such a list has all
	if (word ~ /^MODULE_[a-z0-9_]+$/)
		return modules[kernel] == "" || index(modules[kernel], " " substr(word, 8) " ") ? "the kernel was fetched with " substr(word, 8) : ""
	# tests/run has looked
	if (kernel == "host" && word == "ROOT")
		return (getline word < (dir "/host.root")) >= 0 ? "this is root, and may mount" : ""
	return "'" word "' is no kernel release and no option"
}

function add_failure(guest, test, text) {
	if (!failed[guest, test]++)
		first_failure[guest, test] = text
	detail[guest, test] = detail[guest, test] text "\n"
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
	file = dir "/" kernel ".modules"
	if ((getline modules[kernel] < file) > 0)
		modules[kernel] = " " modules[kernel] " "
	close(file)
}

# The kernel that a guest has booted.
function kernel_of(guest) {
	sub(/\+.*/, "", guest)
	return guest
}

# Whether it is the boot in which a test that failed ran once more.
function is_second(guest) {
	return guest ~ /\+(again|alone)\./
}

# Which part of a test a file is.
function part_of(file) {
	sub(/^tests\/common\//, "", file)
	if (file ~ /^src\/.*\.smp$/) return "smp"
	if (file ~ /^src\/.*\.more$/) return "more"
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

# Reads what a guest, or the host, printed.  Failures of a second boot are those of the first one, and do not count again.
function read_output(guest,    kernel, file, line, test, word, why, showing, row, part, part_next, last, is_again) {
	kernel = kernel_of(guest)
	is_again = is_second(guest)
	file = dir "/" guest ".out"
	test = ""
	part = kernel == "host" ? "host" : "boot"
	part_next = part
	last = "-"
	cpu_before = 0
	while ((getline line < file) > 0) {
		split(line, word, " ")
		if (line ~ /^@ tool /) {
			test = word[3]
			begun[guest, test] = 1
			showing = 0
		} else if (line ~ /^@ test /) {
			part_next = part_of(word[3])
			showing = 0
		} else if (line ~ /^@ end /) {
			ended[guest, test] = 1
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
			guest_status[guest] = word[3]
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
			good[guest, test]++
			if (!is_again) {
				good[kernel, test]++
				passes++
			}
			showing = 0
		} else if (line ~ /^skip /) {
			why = disbelief(kernel, line)
			skipped[guest, test]++
			if (why != "") {
				add_failure(guest, test, "not " line "\n#   a skip that is not believed: " why)
			} else if (!is_again) {
				skips++
				if (guest != kernel)
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
			add_failure(guest, test, line)
			showing = 1
		} else if (line ~ /^@/) {
			showing = 0
		} else if (showing && test != "") {
			detail[guest, test] = detail[guest, test] line "\n"
		} else if (test != "") {
			beside[guest, test] = beside[guest, test] "    " line "\n"
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

function read_health(guest,    file, line, text) {
	file = dir "/" guest ".health"
	text = ""
	while ((getline line < file) > 0)
		text = text line "\n"
	close(file)
	begun[guest, "kernel"] = ended[guest, "kernel"] = 1
	if (guest_status[guest] != "0")
		add_failure(guest, "kernel", "not ok - the guest ends with status " guest_status[guest] " (see ci/vm)")
	if (text != "ok\n")
		add_failure(guest, "kernel", "not ok - the kernel's log\n" text)
	if (!failed[guest, "kernel"]) {
		good[guest, "kernel"] = 1
		passes++
	}
}

# The tests that a guest was to run: run_on[guest, test] is the part of it ("" for all).
function read_tests(guest,    file, line, list, n, i, part) {
	file = dir "/" guest ".tests"
	if ((getline line < file) < 0)
		line = guest_tests
	close(file)
	n = split(line, list, " ")
	for (i = 1; i <= n; i++) {
		part = ""
		if (split(list[i], word_of_test, ":") > 1)
			part = substr(list[i], length(word_of_test[1]) + 2)
		run_on[guest, word_of_test[1]] = part
		wanted[kernel_of(guest), word_of_test[1]] = 1
		part_run[kernel_of(guest), word_of_test[1]] = part_run[kernel_of(guest), word_of_test[1]] (part == "" ? " all" : " " part)
	}
	run_on[guest, "kernel"] = ""
	wanted[kernel_of(guest), "kernel"] = 1
}

# Judges a test of a guest, or of the host, once its output is read: it must have begun, ended, and checked something.
function judge(guest, test) {
	if (!((guest, test) in begun))
		add_failure(guest, test, "not ok - it did not run")
	else if (!((guest, test) in ended))
		add_failure(guest, test, "not ok - it did not end")
	else if (!good[guest, test] && !skipped[guest, test] && !failed[guest, test])
		add_failure(guest, test, "not ok - it checked nothing")
}

# A test that failed in a guest ran once more, alone: whether it passed then.
function passed_again(guest, test,    again) {
	again = (guest ~ /\+smp$/ ? kernel_of(guest) "+again." : guest "+alone.") test
	if (!((again, test) in ended))
		return 0
	return !failed[again, test] && !failed[again, "kernel"]
}

# Whether a test passed on a kernel, in all guests that ran it.
function has_failed(kernel, test) {
	return red[kernel, test] > 0
}

# The cell of the table.
function cell(kernel, test,    part) {
	if (!((kernel, test) in wanted))
		return ""
	if (has_failed(kernel, test))
		return "FAIL"
	if ((kernel, test) in shaky)
		return "unstable"
	if ((kernel, test) in lacks)
		return "no " lacks[kernel, test]
	part = part_run[kernel, test]
	sub(/^ /, "", part)
	gsub(/[ :]/, "+", part)
	# the two halves of a tool's tests, in two guests
	if (part ~ /all/ || part == "" || part ~ /own.*common/ || part ~ /common.*own/)
		return "pass"
	partial_cells++
	return part
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
		text = ""
		for (j = 1; j <= column_count; j++)
			text = text cell(columns[j], rows[i])
		if (text == "")
			continue
		line = pad(rows[i], width[0])
		for (j = 1; j <= column_count; j++)
			line = line "  " pad(cell(columns[j], rows[i]), width[j])
		sub(/ +$/, "", line)
		print line
	}
}

# What building took, which is the host's.
function read_build(    file) {
	file = dir "/build.cpu"
	if ((getline build_cpu < file) > 0 && build_cpu > 0) {
		parts[++part_count] = "build"
		part_cpu["host", "build"] = kernel_cpu["host"] = build_cpu
	}
	close(file)
}

# Where the CPU time went: parts down, kernels across.
function cpu_table(    i, k, line, sum, all_sum) {
	if (!part_count)
		return
	line = pad("", 20)
	if (build_cpu && !has_host)
		all[++kernel_count] = "host"
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
	printf "CPU time in all: %.0f s", all_sum
	if (build_cpu)
		printf ", %.0f s of it to build", build_cpu
	print seconds ? sprintf("; %d s on the clock", seconds) : ""
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
	part_name["smp"] = "for two CPUs"
	part_name["more"] = "tools' tests in turn"
	part_name["ends"] = "tests/common/ends"
	part_name["faults"] = "tests/common/faults"
	part_name["stack"] = "tests/common/stack"
	part_name["law_count"] = "tests/common/law_count"
	kernel_count = split(kernels, all, " ")
	host_count = split(host_tests, host_rows, " ")
	guest_count = split(guest_tests " kernel", guest_rows, " ")
	if (guests == "")
		guests = kernels
	boot_count = split(guests, boots, " ")

	read_build()
	for (k = 1; k <= kernel_count; k++) {
		if (all[k] != "host") {
			guest_columns[++guest_column_count] = all[k]
			read_kernel(all[k])
			continue
		}
		has_host = host_columns[1] = "host"
		read_output("host")
		for (i = 1; i <= host_count; i++) {
			wanted["host", host_rows[i]] = 1
			judge("host", host_rows[i])
		}
	}
	for (b = 1; b <= boot_count; b++) {
		if (boots[b] == "host")
			continue
		read_tests(boots[b])
		read_output(boots[b])
		read_health(boots[b])
		for (i = 1; i <= guest_count; i++)
			if ((boots[b], guest_rows[i]) in run_on)
				judge(boots[b], guest_rows[i])
	}
	if (has_host && kernels != guests)
		boots[++boot_count] = "host"

	for (b = 1; b <= boot_count; b++)
		for (i = 1; i <= (boots[b] == "host" ? host_count : guest_count); i++) {
			guest = boots[b]
			test = guest == "host" ? host_rows[i] : guest_rows[i]
			if (!failed[guest, test] || is_second(guest))
				continue
			kernel = kernel_of(guest)
			if (passed_again(guest, test)) {
				shaky[kernel, test] = 1
				text = first_failure[guest, test]
				sub(/^not ok - /, "", text)
				sub(/\n.*/, "", text)
				unstable[++unstable_count] = test " on " kernel ": " text
			} else {
				failures += failed[guest, test]
				red[kernel, test] += failed[guest, test]
			}
			print "\n==== " test " on " guest (passed_again(guest, test) ? " (passed in a second boot)" : "")
			printf "%s", detail[guest, test]
			if (beside[guest, test] != "")
				printf "  what the test said beside:\n%s", beside[guest, test]
			if (guest != "host") {
				print "  the end of the kernel's log (" dir "/" guest ".log):"
				tail(dir "/" guest ".log", 15)
				print "  what the guest said beside (" dir "/" guest ".err):"
				tail(dir "/" guest ".err", 15)
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
			print "own: its own test passed; law: the law; the rest runs with FULL=1, or when it is its turn (tests/README.md)"
	}
	attach_table()
	cpu_table()
	count = split(gone, all_gone, " ")
	for (i = 1; i <= count; i++) {
		skips++
		skip_list[++skip_count] = all_gone[i] "\tall tests\t" (all_gone[i] ~ /^arm64-/ ? \
			"its packages, or the cross compiler's, cannot be fetched here (ci/deps cross says why)" : \
			"the archive has no such kernel any more (ci/kernels.table)")
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
	print ""
	if (unstable_count > 3) {
		print "more than three checks were unstable: that is a failure"
		failures++
	}
	if (passes == 0 && failures == 0 && skips == 0) {
		print "no test has run: that is a failure"
		failures++
	}
	if (unstable_count) {
		line = "unstable: " unstable_count " ("
		for (i = 1; i <= unstable_count; i++)
			line = line (i > 1 ? "; " : "") unstable[i]
		print line "); see tests/unstable.md"
	}
	printf "%d passed, %d failed, %d skipped\n", passes, failures, skips
	exit failures > 0
}
