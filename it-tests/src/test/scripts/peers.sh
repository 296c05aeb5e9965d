#!/bin/sh
# Unpacks the mail servers that cannot be installed beside Postfix, and what they need, so that tests can run them as local
# processes: Exim, OpenSMTPD, and the tool that makes Cyrus SASL's file of passwords. Debian, as root; Postfix and the
# libraries named in `needs` come from apt-get install.
#
#   peers.sh [FOLDER]        default: it-tests/target/peers, where tests look unless IT_PEERS says otherwise
#   peers.sh --needs         the packages that have to be installed
set -eu
needs='adduser libdb5.3 libevent-2.1-7 libgnutls-dane0 libidn12 libnsl2 libpam0g libpcre2-8-0 libsasl2-modules
    libsasl2-modules-db openssl postfix util-linux'
unpacked='exim4-base exim4-daemon-light opensmtpd sasl2-bin'

if [ "${1:-}" = --needs ]; then
    echo $needs
    exit 0
fi
folder=${1:-$(dirname "$0")/../../../target/peers}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT
chmod 755 "$packages"
cd "$packages"
# shellcheck disable=SC2086  # a list of words
apt-get -q download $unpacked || { apt-get -q update && apt-get -q download $unpacked; }
for package in *.deb; do
    dpkg -x "$package" "$folder"
done

# Users and folders whose names are compiled in. The folders of OpenSMTPD are only places to mount others on.
id Debian-exim >/dev/null 2>&1 || adduser --allow-bad-names --system --group --no-create-home --home /var/spool/exim4 --quiet Debian-exim
for user in opensmtpd opensmtpq; do
    id "$user" >/dev/null 2>&1 || adduser --system --group --no-create-home --home /var/lib/opensmtpd/empty --quiet "$user"
done
mkdir -p /var/lib/opensmtpd/empty /var/spool/smtpd /usr/libexec/opensmtpd
