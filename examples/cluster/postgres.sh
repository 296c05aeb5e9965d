#!/bin/sh
# One PostgreSQL of three. The file /leader/name says which of them is the primary; it stands for the store of Patroni.
#   postgres.sh run      starts this one, as the primary or as a standby of it
#   postgres.sh ready    exit code 0: it answers
#   postgres.sh leader   the name of the primary
#   postgres.sh has      its own name, and the octets of WAL that this standby has
#   postgres.sh lead     this standby becomes the primary
#   postgres.sh follow   this standby follows the primary that has been named meanwhile
set -eu
export PGDATA=/var/lib/postgresql/cluster
me=$(hostname)

ask() { psql -X -q -A -t -h 127.0.0.1 -U postgres -c "$1"; }

name_primary() {
    printf "primary_conninfo = 'host=%s user=postgres application_name=%s connect_timeout=2'\n" "$(cat /leader/name)" "$me" \
        >"$PGDATA/follow.conf"
}

create() {
    rm -rf "$PGDATA.new"
    initdb -D "$PGDATA.new" -A trust -U postgres -E UTF8 --locale=C
    # Only containers of this example reach it. A real one asks for a password, or for certificates.
    printf 'host all all samenet trust\nhost replication all samenet trust\n' >>"$PGDATA.new/pg_hba.conf"
    postgres --single -D "$PGDATA.new" postgres <<'END'
create role slipstream login
create database slipstream owner slipstream
grant pg_monitor to slipstream
END
    mv "$PGDATA.new" "$PGDATA"
}

# What a former primary has, and no standby confirmed, is not in the log that the others go on with.
copy() {
    rm -rf "$PGDATA" "$PGDATA.new"
    until pg_basebackup -h "$(cat /leader/name)" -U postgres -D "$PGDATA.new" -X stream -c fast; do
        rm -rf "$PGDATA.new"
        sleep 1
    done
    touch "$PGDATA.new/standby.signal"
    mv "$PGDATA.new" "$PGDATA"
}

run() {
    until [ -s /leader/name ]; do sleep 0.2; done
    if [ "$(cat /leader/name)" = "$me" ]; then
        [ -s "$PGDATA/PG_VERSION" ] || create
        rm -f "$PGDATA/standby.signal"
    else
        [ -e "$PGDATA/standby.signal" ] || copy
        name_primary
    fi
    exec postgres -D "$PGDATA" -c config_file=/cluster/postgresql.conf
}

case ${1-} in
    run) run ;;
    ready) pg_isready -q -h 127.0.0.1 ;;
    leader) cat /leader/name ;;
    has) echo "$me $(ask "select greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn")" ;;
    lead)
        # The name first: a former primary that starts now is a standby.
        echo "$me" >/leader/new
        mv /leader/new /leader/name
        ask 'select pg_promote()'
        ;;
    follow)
        name_primary
        ask 'select pg_reload_conf()'
        ;;
    *)
        echo "postgres.sh: unknown word \"${1-}\"" >&2
        exit 2
        ;;
esac
