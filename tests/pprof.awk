# SPDX-License-Identifier: BSD-2-Clause
# Reads a profile.proto, whose bytes are decimal numbers (zcat FILE | od -An -v -tu1), and prints
#	type NAME UNIT		of each value, in their order
#	samples N
#	values SUM SUM		of all samples
#	function NAME FILE	of each
# Written from profile.proto and the description of protobuf's encoding, not from what writes it (src/lib/print/pprof.c).

{ for (i = 1; i <= NF; i++) byte[size++] = $i }

# The number at `at`, which moves behind it.
function varint(    value, factor) {
	factor = 1
	do {
		value += byte[at] % 128 * factor
		factor *= 128
	} while (byte[at++] >= 128)
	return value
}

# Reads a field's key and, of what has a length, its length; sets field, wire, value, begin and end.
function read_field(    key) {
	key = varint()
	field = int(key / 8)
	wire = key % 8
	if (wire != 0 && wire != 2) {
		print "bad wire type " wire
		exit 1
	}
	value = varint()
	begin = at
	end = wire == 2 ? at + value : at
}

function text(from, to,    all) {
	while (from < to)
		all = all sprintf("%c", byte[from++])
	return all
}

END {
	at = 0
	while (at < size) {
		read_field()
		top = field
		stop = end
		is_message = wire == 2
		if (top == 6)
			string[strings++] = text(begin, end)
		delete number
		if (top == 2)
			samples++
		place = 0
		while (is_message && top != 6 && at < stop) {
			read_field()
			if (top == 2 && field == 2)
				sum[place++] += value
			else
				number[field] = value
			at = end
		}
		if (top == 1)
			type[types++] = number[1] + 0 " " number[2] + 0
		if (top == 5)
			named[functions++] = number[2] + 0 " " number[4] + 0
		at = stop
	}
	if (at != size || string[0] != "") {
		print "bad end, or a first string that is not empty"
		exit 1
	}
	for (i = 0; i < types; i++) {
		split(type[i], part, " ")
		print "type", string[part[1]], string[part[2]]
	}
	print "samples", samples + 0
	printf "values %.0f %.0f\n", sum[0], sum[1]
	for (i = 0; i < functions; i++) {
		split(named[i], part, " ")
		print "function", string[part[1]], string[part[2]]
	}
}
