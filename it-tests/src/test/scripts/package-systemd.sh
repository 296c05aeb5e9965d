#!/bin/sh
# Runs in a container whose first process is systemd, as root: installs the Debian package and uses it as docs/install.md says. Each step
# must succeed. A line "== step" on standard output begins each step.
set -eu
step() { echo "== $*"; }
fail() { echo "FAILED: $*" && journalctl -u slipstream --no-pager | tail -20 && exit 1; }
delivered() {
    i=0
    until [ "$(find /var/lib/slipstream/mail -path '*/new/*' -type f 2>/dev/null | wc -l)" -eq "$1" ]; do
        i=$((i + 1))
        [ $i -lt 300 ] || fail "no $1 messages"
        sleep 0.1
    done
}
# The journal has a line a moment after it was written.
logged() {
    i=0
    until journalctl -u slipstream --no-pager | grep -q "$1"; do
        i=$((i + 1))
        [ $i -lt 300 ] || fail "the journal has no $1"
        sleep 0.1
    done
}

step 'install'
# Learning takes a quarter of a minute, and the story without systemd has it.
SLIPSTREAM_CACHE=/proc/none dpkg -i /packages/slipstream_*.deb
systemctl is-active slipstream || fail 'the installation does not start the server'

step 'the first mail'
printf 'Subject: hello\n\nIt works.\n' | sendmail postmaster
delivered 1

step 'the server has no privilege but its port'
pid=$(systemctl show -P MainPID slipstream)
[ "$(stat -c %U "/proc/$pid")" = slipstream ] || fail 'the user of the server'
grep -q '^CapBnd:.*0000000000000400$' "/proc/$pid/status" || fail 'its capabilities'

step 'reload'
echo 'limits.hops = 40' >/tmp/added
cat /etc/slipstream/mta.toml >>/tmp/added
cp /tmp/added /etc/slipstream/mta.toml
systemctl reload slipstream
logged 'event=configuration-reloaded .*changed="limits.hops"'

step 'a reload with a mistake fails and changes nothing'
echo 'nonsense = 1' >/etc/slipstream/mta.toml
systemctl reload slipstream && fail 'the reload with a mistake'
systemctl is-active slipstream || fail 'the server after a reload with a mistake'
cp /tmp/added /etc/slipstream/mta.toml

step 'the log in a file'
echo 'log.file = "/var/log/slipstream/mta.log"' >/etc/slipstream/mta.toml
cat /tmp/added >>/etc/slipstream/mta.toml
systemctl reload slipstream
[ -f /var/log/slipstream/mta.log ] || fail 'no log in the file'
cp /tmp/added /etc/slipstream/mta.toml
systemctl reload slipstream

step 'a server that aborts, as after an OutOfMemoryError, is started again'
pid=$(systemctl show -P MainPID slipstream)
kill -ABRT "$pid"
i=0
until [ "$(systemctl show -P MainPID slipstream)" != "$pid" ] && [ "$(systemctl is-active slipstream)" = active ]; do
    i=$((i + 1))
    [ $i -lt 600 ] || fail 'no second start'
    sleep 0.1
done

step 'mail of the time when the server is down'
systemctl stop slipstream
[ "$(systemctl show -P Result slipstream)" = success ] || fail 'the stop'
printf 'Subject: later\n\nIt waits.\n' | sendmail postmaster
systemctl start slipstream
delivered 2

step 'a mistake in the settings'
systemctl stop slipstream
printf 'listen.smtp = "127.0.0.1:99999"\n' >/etc/slipstream/mta.toml
systemctl start slipstream && fail 'the start with a mistake'
logged 'mta.toml:1: listen.smtp'
[ "$(systemctl show -P ActiveState slipstream)" = failed ] || fail 'a restart after a mistake in the settings'

step 'another trouble: restarts that wait'
cp /tmp/added /etc/slipstream/mta.toml
install -m 600 -o root /dev/null /var/lib/slipstream/users
systemctl start slipstream && fail 'the start without the right to read the users'
i=0
until [ "$(systemctl show -P NRestarts slipstream)" -ge 1 ] && [ "$(systemctl show -P SubState slipstream)" = start-pre ]; do
    i=$((i + 1))
    [ $i -lt 600 ] || fail 'no restart that waits'
    sleep 0.1
done
rm /var/lib/slipstream/users
systemctl restart slipstream
systemctl is-active slipstream || fail 'the start after the trouble'
step 'done'
