#!/bin/sh
# Makes the key of the cluster, as docs/cluster.md says, and names the first primary. A second run changes nothing.
set -eu
if [ ! -s /key/cluster.pem ]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=cluster \
        -keyout /key/new.pem -out /key/new.crt
    cat /key/new.crt >>/key/new.pem
    rm /key/new.crt
    chmod 600 /key/new.pem
    # The user of the server in its image.
    chown 10025:10025 /key/new.pem
    mv /key/new.pem /key/cluster.pem
fi
chown postgres /leader
[ -s /leader/name ] || { echo db1 >/leader/new && mv /leader/new /leader/name; }
