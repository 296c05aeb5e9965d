#!/bin/sh
# Runs in a Debian container without Java, as root: installs the Debian package in /packages, starts the server as its unit does, sends
# mail, upgrades, and purges. Each step must succeed. A line "== step" on standard output begins each step.
set -eu
step() { echo "== $*"; }
fail() { echo "FAILED: $*" >&2 && exit 1; }
home=/var/lib/slipstream
deb=$(ls /packages/slipstream_*.deb)

# The unit's way to start: user, capability, environment. The bounding set holds nothing else.
start() {
    # The shell may look for the line "ready" before the new process has emptied the file of the last one.
    : >/tmp/out
    SLIPSTREAM_HOME=$home SLIPSTREAM_CONFIG=/etc/slipstream/mta.toml setpriv --reuid=slipstream --regid=slipstream --init-groups \
        --inh-caps=-all,"$1" --ambient-caps=-all,"$1" --bounding-set=-all,"$1" --no-new-privs \
        /usr/lib/slipstream/mta run >/tmp/out 2>/tmp/err &
    server=$!
}

ready() {
    until grep -q '^ready' /tmp/out; do
        kill -0 "$server" || { cat /tmp/err >&2 && fail 'the server ended'; }
        sleep 0.1
    done
}

stop() {
    kill "$server"
    wait "$server" || fail "the server ended with $?"
}

mailbox=$home/mail/localhost/postmaster/new
delivered() {
    i=0
    until [ "$(ls "$mailbox" 2>/dev/null | wc -l)" -eq "$1" ]; do
        i=$((i + 1))
        [ $i -lt 300 ] || { cat /tmp/err >&2 && fail "no $1 messages in $mailbox"; }
        sleep 0.1
    done
}
send() { mta send --to "postmaster@$(cat /proc/sys/kernel/hostname)" --from root@localhost --subject "$1" --text "$1" --server 127.0.0.1:25; }

step 'no java here'
! command -v java || fail 'there is a java'

step 'install'
dpkg -i "$deb"
[ "$(stat -c %U:%G:%a /etc/slipstream/mta.toml)" = root:slipstream:640 ] || fail 'rights of the settings'
[ -s /usr/lib/slipstream/slipstream.aot ] || fail 'nothing was learnt at the installation'
mta --version
mta check

step 'without the capability: one sentence'
start -net_bind_service
! wait "$server" || fail 'port 25 was open without the capability'
cat /tmp/err
[ "$(grep -c '^mta: ' /tmp/err)" = 1 ] || fail 'not one sentence'

step 'start as the unit does'
start +net_bind_service
ready
cat /tmp/out
tr '\0' '\n' <"/proc/$server/cmdline" | grep -qx -- '-XX:AOTCache=.*/slipstream.aot' || fail 'the start without what was learnt'
grep -q 'CapEff:.*0000000000000400$' "/proc/$server/status" || fail 'other capabilities than CAP_NET_BIND_SERVICE'

step 'a port that is taken: one sentence'
! mta --home /tmp/second run --set listen.smtp=127.0.0.1:25 --set listen.submission=off 2>/tmp/second.err || fail 'two servers, one port'
grep '^mta: ' /tmp/second.err
[ "$(grep -c '^mta: ' /tmp/second.err)" = 1 ] || fail 'not one sentence'

step 'mail'
send first
delivered 1
printf 'Subject: local\n\nFrom a local program.\n' | sendmail postmaster
delivered 2
mta status >/dev/null
stop

# Learning is most of an installation's time; once is enough here.
step 'upgrade, which cannot learn'
dpkg-deb -R "$deb" /tmp/newer
sed -i 's/^Version: .*/Version: 0.2.0/' /tmp/newer/DEBIAN/control
dpkg-deb -Znone -b /tmp/newer /tmp/newer.deb >/dev/null
echo '# mine' >>/etc/slipstream/mta.toml
SLIPSTREAM_CACHE=/proc/none dpkg -i /tmp/newer.deb 2>/tmp/newer.err || { cat /tmp/newer.err >&2 && fail 'the upgrade'; }
grep 'could not learn' /tmp/newer.err
grep -q '^# mine' /etc/slipstream/mta.toml || fail 'settings were lost'
start +net_bind_service
ready
send second
delivered 3
stop

step 'a system that is too old'
mkdir /tmp/future
dpkg-deb -e "$deb" /tmp/future/DEBIAN
needed=$(sed -n 's/^Depends: libc6 (>= \([0-9.]*\)),.*/\1/p' /tmp/future/DEBIAN/control)
[ -n "$needed" ] || fail 'the package names no version of the C library'
rm /tmp/future/DEBIAN/conffiles
sed -i "s/libc6 (>= $needed)/libc6 (>= 99)/; s/^Version: .*/Version: 0.3.0/" /tmp/future/DEBIAN/control
sed -i "s/ lt $needed;/ lt 99;/; s/needs $needed;/needs 99;/" /tmp/future/DEBIAN/preinst
dpkg-deb -Znone -b /tmp/future /tmp/future.deb >/dev/null
! dpkg -i /tmp/future.deb 2>/tmp/future.err || fail 'installed on a system that is too old'
cat /tmp/future.err
grep -q '^slipstream: this system is too old: its C library (libc6) has version .* and the program needs 99; ' /tmp/future.err ||
    fail 'dpkg does not say why'
! apt-get -q install -y /tmp/future.deb >/tmp/future.apt 2>&1 || fail 'apt-get installed it'
grep ' slipstream : Depends: libc6 (>= 99) but' /tmp/future.apt || { cat /tmp/future.apt && fail 'apt-get does not say why'; }
[ "$(dpkg-query -W -f '${Version}' slipstream)" = 0.2.0 ] || fail 'the old version is gone'

step 'purge'
dpkg --purge slipstream 2>&1 | tee /tmp/purge
grep -q 'is kept' /tmp/purge || fail 'nothing says that mail is kept'
[ "$(ls "$mailbox" | wc -l)" -eq 3 ] || fail 'mail is gone'
[ ! -e /etc/slipstream/mta.toml ] && [ ! -e /usr/lib/slipstream ] || fail "files stay: $(find /usr/lib/slipstream /etc/slipstream)"
step done
