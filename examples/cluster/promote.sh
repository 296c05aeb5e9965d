#!/bin/sh
# After the loss of the primary: promotes the standby that has the most WAL. Patroni does this by itself.
set -eu
project=${COMPOSE_PROJECT_NAME:-cluster}

fail() {
    echo "promote.sh: $1" >&2
    exit 1
}

containers() {
    docker ps -q --filter "label=com.docker.compose.project=$project" --filter "label=com.docker.compose.service=$1"
}

on() { docker exec "$1" sh /cluster/postgres.sh "$2"; }

lost=
for each in $(containers db1) $(containers db2) $(containers db3); do
    lost=$(on "$each" leader 2>/dev/null) && break
done
[ -n "$lost" ] || fail "no database of the project $project runs"
# It must not have a commit confirmed while the others are compared.
for each in $(containers "$lost"); do docker kill "$each" >/dev/null || true; done
standbys=
for each in $(containers db1) $(containers db2) $(containers db3); do
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
