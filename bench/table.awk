# SPDX-License-Identifier: BSD-2-Clause
# bench/run: the table, and the same as a file of tab-separated values (results).
BEGIN {
	FS = "\t"
	print "tool\tpeer\tmeasure\tours\ttheirs\tratio" >results
	format = "%-13s %-14s %-19s %14s %14s %8s\n"
	printf format, "TOOL", "PEER", "MEASURE", "OURS", "THEIRS", "RATIO"
}

{
	if ($2 == "ours") { if (!(($1, $3) in ours)) order[++count] = $1 SUBSEP $3; ours[$1, $3] = $4 }
	else { theirs[$1, $3, $2] = $4; if (!(($1, $2) in known)) { known[$1, $2] = 1; peers[$1] = peers[$1] " " $2 } }
}

END {
	for (i = 1; i <= count; i++) {
		split(order[i], key, SUBSEP)
		own = ours[order[i]]
		n = split(peers[key[1]], names, " ")
		shown = 0
		for (p = 1; p <= n; p++) {
			if (!((key[1], key[2], names[p]) in theirs)) continue
			other = theirs[key[1], key[2], names[p]]
			# of the rate, more is better: the ratio says in all cases how many times better ours is
			if (key[2] == "rate") ratio = other > 0 ? sprintf("%.1f", own / other) : "-"
			else ratio = own > 0 ? sprintf("%.1f", other / own) : other > 0 ? "inf" : "1.0"
			row(key[1], names[p], key[2], own, other, ratio)
			shown = 1
		}
		if (!shown) row(key[1], "-", key[2], own, "-", "-")
	}
}

function row(tool, peer, measure, own, other, ratio) {
	printf format, tool, peer, measure, own, other, ratio
	print tool "\t" peer "\t" measure "\t" own "\t" other "\t" ratio >results
}
