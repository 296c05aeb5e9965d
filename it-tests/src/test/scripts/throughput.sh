#!/usr/bin/env bash
# Messages per second from a local client through the packaged server to a local sink. Not part of the build.
#   throughput.sh [messages] [sessions] [bytes]
# Needs smtp-source and smtp-sink of the postfix package. The client and the sink share the machine's cores.
set -euo pipefail
messages=${1:-20000} sessions=${2:-20} bytes=${3:-4096}
root=$(cd "$(dirname "$0")/../../../.." && pwd)
export PATH="$PATH:/usr/sbin"
work=$(mktemp -d "${TMPDIR:-/tmp}/throughput.XXXXXX")
pids=()

clean_up() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait || true
    rm -rf "$work"
}
trap clean_up EXIT

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
now() { date +%s.%N; }
per_second() { awk -v n="$1" -v from="$2" -v to="$3" 'BEGIN { printf "%.0f", n / (to - from) }'; }
# smtp-sink -c keeps one line up to date: sess=… quit=… mesg=…
arrived() { tr '\r' '\n' <"$work/sink.out" | awk -F'mesg=' '/mesg=/ { n = $2 + 0 } END { print n + 0 }'; }

# await_arrived count: gives up when nothing moves for a minute.
await_arrived() {
    local last=-1 now_there since=$SECONDS
    while now_there=$(arrived) && [ "$now_there" -lt "$1" ]; do
        [ "$now_there" = "$last" ] || { last=$now_there since=$SECONDS; }
        [ $((SECONDS - since)) -lt 60 ] || { echo "stuck: $now_there of $1 arrived" >&2; exit 1; }
        sleep 0.05
    done
}

sink_port=$(free_port)
smtp-sink -u nobody -c "127.0.0.1:$sink_port" 1000 >"$work/sink.out" 2>&1 &
pids+=($!)

# MTA_SETTINGS: more --set key=value, divided by blanks.
# shellcheck disable=SC2086
"$root/mta-dist/target/slipstream/mta" --home "$work/home" run --set listen.smtp=127.0.0.1:0 \
    --set listen.submission=off --set hostname=mail.here.example --set local.domains=here.example \
    --set limits.messages-per-connection=1000000000 --set limits.connections-per-client=1000 \
    --set "routes.\"far.example\"=smtp:127.0.0.1:$sink_port" ${MTA_SETTINGS:-} \
    >"$work/server.out" 2>"$work/server.log" &
pids+=($!)
for ((i = 0; i < 600; i++)); do
    grep -q ^ready "$work/server.out" && break
    sleep 0.1
done
door=$(sed -n 's/^ready smtp=\([^ ]*\).*/\1/p' "$work/server.out")
[ -n "$door" ] || { cat "$work/server.log" >&2; exit 1; }

# A first run warms the machine up.
smtp-source -s "$sessions" -m $((messages / 4)) -l "$bytes" -f someone@client.example -t friend@far.example "$door"
await_arrived $((messages / 4))

begin=$(now)
smtp-source -s "$sessions" -m "$messages" -l "$bytes" -f someone@client.example -t friend@far.example "$door"
accepted=$(now)
await_arrived $((messages / 4 + messages))
delivered=$(now)

printf '%s messages of %s bytes, %s sessions, one message per connection\n' "$messages" "$bytes" "$sessions"
printf 'accepted   %s/s\n' "$(per_second "$messages" "$begin" "$accepted")"
printf 'delivered  %s/s (first in to last out)\n' "$(per_second "$messages" "$begin" "$delivered")"
