# SPDX-License-Identifier: BSD-2-Clause
# What tests of the host with engines share (fleet, fleet-logs, fleet-kafka): engines are packages of Debian that ci/engines unpacks, each
# started here on loopback, with its files in $work, and ended by its number.

work=$(mktemp -d "${TMPDIR:-/tmp}/probelight-engines.XXXXXX")
running=
trap 'end_all; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
failed=0
jq=$(command -v gojq || command -v jq)

check() {
	text=$1; shift
	if "$@"; then echo "ok - $text"; else echo "not ok - $text"; failed=1; fi
}
is() {
	if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1: it is '$2', not '$3'"; failed=1; fi
}

# port: one that nobody has now
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# engine SUITE NAME PACKAGE…: sets $engine to the directory that they are in; without an archive to fetch them from the test ends
engine() {
	engine=$(ci/engines "$@") && return
	case $? in
	3) echo "skip - $2: there is no archive to fetch it from"; exit $failed ;;
	*) echo "not ok - $2 of $1 cannot be fetched"; exit 1 ;;
	esac
}

# start LOG COMMAND…: in the background; $! is its number.  ci/engines becomes the program that it runs.
start() {
	log=$1; shift
	"$@" >"$work/$log" 2>&1 </dev/null &
	running="$running $!"
}

# end NUMBER [SIGNAL]: until it is gone
end() {
	kill "-${2:-TERM}" "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	running=$(echo " $running " | sed "s/ $1 / /")
}
end_all() { for number in $running; do end "$number" KILL; done; }

# until_is TEXT COMMAND…: waits until COMMAND prints TEXT, for ten minutes and more; says what it printed last
until_is() {
	text=$1; shift
	tries=0
	until [ "$("$@" 2>/dev/null </dev/null)" = "$text" ] || [ $tries -ge ${PATIENCE-1200} ]; do
		sleep 0.5
		tries=$((tries + 1))
	done
	"$@" 2>&1 </dev/null
}

# until_any COMMAND…: the same until it prints anything
until_any() {
	tries=0
	until [ -n "$("$@" 2>/dev/null </dev/null)" ] || [ $tries -ge ${PATIENCE-1200} ]; do
		sleep 0.5
		tries=$((tries + 1))
	done
	"$@" 2>&1 </dev/null
}

# clickhouse_start: ClickHouse 18.16 with its data in $work/clickhouse, which stays over an end and a start; $clickhouse is its number, $http its
# port.  ask ARG…: the client
clickhouse_start() {
	if [ ! -e "$work/clickhouse" ]; then
		engine bookworm clickhouse clickhouse-server clickhouse-client
		clickhouse_root=$engine http=$(port) tcp=$(port)
		mkdir -p "$work/clickhouse/data" "$work/clickhouse/tmp" "$work/clickhouse/format"
		cat >"$work/clickhouse/users.xml" <<-END
			<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password/><networks><ip>127.0.0.1</ip></networks>
			<profile>default</profile><quota>default</quota></default></users></yandex>
		END
		cat >"$work/clickhouse/config.xml" <<-END
			<yandex><logger><level>warning</level><log>$work/clickhouse/log</log><errorlog>$work/clickhouse/errors</errorlog></logger>
			<http_port>$http</http_port><tcp_port>$tcp</tcp_port><listen_host>127.0.0.1</listen_host><timezone>UTC</timezone>
			<path>$work/clickhouse/data/</path><tmp_path>$work/clickhouse/tmp/</tmp_path>
			<format_schema_path>$work/clickhouse/format/</format_schema_path>
			<users_config>$work/clickhouse/users.xml</users_config><default_profile>default</default_profile>
			<default_database>default</default_database><mark_cache_size>67108864</mark_cache_size></yandex>
		END
	fi
	start clickhouse.log ci/engines --run "$clickhouse_root" usr/sbin/clickhouse-server --config-file="$work/clickhouse/config.xml"
	clickhouse=$!
	is "ClickHouse answers" "$(until_is 1 ask --query 'SELECT 1')" 1
}
ask() { HOME=$work timeout 60 ci/engines --run "$clickhouse_root" usr/bin/clickhouse-client --port "$tcp" "$@" 2>&1; }

# guest_rows: rows of a guest's tools in $work/opens and $work/execs, among them names of files that are written like SQL, and in $work/longest nearly the
# longest line that a tool prints (docs/json.md); SAID=FILE: what a guest said before
guest_rows() {
	mkdir "$work/in"
	cat >"$work/guest" <<'END'
: >"/tmp/', concat(version())) --"
: >"/tmp/\\', concat(version(), currentDatabase())) -- "
: >'/tmp/back\slash "quote"\'
: >'/tmp/double\\'
: >"/tmp/'); DROP TABLE probelight_lines; --"
: >'/tmp/$!tool %msg% `tool` ${MSG}'
printf '' >"$(printf '/tmp/tab\tline\nbyte\377')"
opensnoop -j -f -- sh -c 'cat /tmp/*concat* /tmp/back* /tmp/double* /tmp/*DROP* /tmp/*MSG* /tmp/tab* /none' 2>/dev/null
echo "@@"
execsnoop -j -f -- sh -c 'cat /none; cat /none; cat /none' 2>/dev/null
echo "@@"
# some COUNT: bytes that are six characters each in JSON
some() { head -c "$1" /dev/zero | tr '\0' '\001'; }
path=/tmp i=0
while [ $i -lt 15 ]; do path=$path/$(some 250) i=$((i + 1)); done
path=$path/$(some 199)$(printf '\377')
mkdir -p "$path"
cp /bin/busybox "$path/true"
execsnoop -j -f -- "$path/true" "$(printf '\377')$(some 28770)" 2>/dev/null | grep args_hex
END
	[ -z "${SAID-}" ] || cp "$SAID" "$work/said"
	[ -n "${SAID-}" ] || ci/vm -q --kernel 6.1 --icount --timeout 900 -- sh -c "$(cat "$work/guest")" 2>"$work/guest.err" | tr -d '\r' >"$work/said"
	awk -v to="$work" 'BEGIN { split("opens execs longest", files) } /^@@/ { n++; next } /^{"type":"event"/ { print >(to "/" files[n + 1]) }' "$work/said"
	check "a guest's opensnoop has rows with names like SQL: $(wc -l <"$work/opens")" \
		[ "$(grep -cE 'concat|DROP|double|slash' "$work/opens")" = 5 ]
	check "a guest's execsnoop has a line of $(wc -c <"$work/longest") bytes, at most as many as docs/json.md says" \
		[ "$(wc -l <"$work/longest") $(($(wc -c <"$work/longest") / 10000))" = "1 29" ]
}

# rows FIRST COUNT: so many of them, with the ts_ns FIRST, FIRST + 1, …
rows() {
	awk -v first="$1" -v count="$2" '{ row[NR] = $0 } END {
		for (i = 0; i < count; i++) {
			text = row[i % NR + 1]
			sub(/"ts_ns":[0-9]*/, "\"ts_ns\":" first + i, text)
			print text
		}
	}' "$work/opens"
}

# here CONFIGURATION: with this test's directories and ports
here() {
	sed -e "s|/var/log/probelight/|$work/in/|; s|/var/lib/syslog-ng|$work/sng|; s|/var/log/|$work/|; s|/var/spool/rsyslog|$work/rs|" \
		-e "s|127.0.0.1:8123|127.0.0.1:${http-}|; s|port=\"8123\"|port=\"${http-}\"|; s|127.0.0.1:9092|${broker-}|" "$1"
}

# rsyslog_start SUITE CONFIGURATION: one run after the other keeps its state in $work/rs; $rsyslog is its number
rsyslog_start() {
	mkdir -p "$work/rs"
	{ echo "global(workDirectory=\"$work/rs\")"; here "$2"; } >"$work/rsyslog.conf"
	case $1 in
	trixie) engine trixie rsyslog rsyslog rsyslog-clickhouse ;;
	*) engine bookworm rsyslog rsyslog rsyslog-kafka kcat ;;
	esac
	start rsyslog.log ci/engines --run "$engine" usr/sbin/rsyslogd -n -f "$work/rsyslog.conf" -i "$work/rs/pid" \
		-M "$(find "$engine" -type d -path '*/lib/*/rsyslog')"
	rsyslog=$!
}

# syslog_start CONFIGURATION: syslog-ng, likewise in $work/sng; $syslog is its number
syslog_start() {
	mkdir -p "$work/sng"
	here "$1" >"$work/syslog-ng.conf"
	engine bookworm syslog-ng syslog-ng-core syslog-ng-mod-http syslog-ng-mod-rdkafka
	start syslog-ng.log ci/engines --run "$engine" usr/sbin/syslog-ng -F --no-caps -f "$work/syslog-ng.conf" -R "$work/sng/persist" \
		-c "$work/sng/control" -p "$work/sng/pid" --module-path="$(echo "$engine"/usr/lib/syslog-ng/3.*)"
	syslog=$!
}
