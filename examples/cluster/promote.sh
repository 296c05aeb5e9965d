#!/bin/sh
# After the loss of the primary: promotes the standby that has the most WAL. Patroni does this by itself.
set -eu
here=$(dirname "$0")

compose() {
    if command -v docker-compose >/dev/null; then
        docker-compose -f "$here/docker-compose.yml" "$@"
    else
        docker compose -f "$here/docker-compose.yml" "$@"
    fi
}

on() { docker exec "$1" sh /cluster/postgres.sh "$2"; }

fail() {
    echo "promote.sh: $1" >&2
    exit 1
}

containers=$(compose ps -q db1 db2 db3)
lost=
for each in $containers; do
    lost=$(on "$each" leader 2>/dev/null) && break
done
[ -n "$lost" ] || fail 'no database runs'
# It must not have a commit confirmed while the others are compared.
compose kill "$lost" 2>/dev/null || true
standbys=
for each in $containers; do
    has=$(on "$each" has 2>/dev/null) && standbys="$standbys$has $each
"
done
# Each acknowledged message is on one of them at least, and only both together show on which.
[ "$(printf %s "$standbys" | wc -l)" -eq 2 ] || fail 'a standby does not answer: start it first, because it may have the last mail'
printf %s "$standbys" | sort -n -k 2,2 | {
    read -r _ _ other
    read -r name octets newest
    on "$newest" lead >/dev/null
    on "$other" follow >/dev/null
    echo "$name is the primary, with $octets octets of WAL"
}
