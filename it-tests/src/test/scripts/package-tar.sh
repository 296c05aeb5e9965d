#!/bin/sh
# Runs in a Debian container without Java: unpacks the archive in /packages, starts the server, and delivers a message.
set -eu
! command -v java || exit 1
cd /tmp
tar xzf /packages/slipstream-*.tar.gz
cd slipstream-*/
./mta run >/tmp/out 2>/tmp/err &
server=$!
until grep -q '^ready' /tmp/out; do kill -0 $server || { cat /tmp/err >&2 && exit 1; }; sleep 0.1; done
./mta send --from me@localhost --to postmaster@localhost --subject Hello --text 'It works.'
i=0
until [ -n "$(find var/mail -path '*/new/*' -type f 2>/dev/null)" ]; do i=$((i + 1)) && [ $i -lt 300 ] || exit 1; sleep 0.1; done
kill $server
wait $server
[ -s licences.txt ] && [ -s sbom.xml ] && [ -s man/mta.1 ] && [ -s completion ]
