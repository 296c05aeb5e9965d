# Part of build/package: the Debian package.

# The newest symbol of the C library that a program of the runtime asks for.
newest_glibc() {
    find "$tree/runtime" -type f \( -name '*.so' -o -perm -u+x \) -exec grep -aohE 'GLIBC_2\.[0-9]+(\.[0-9]+)?' {} + |
        sort -uV | tail -n 1 | cut -d _ -f 2
}

make_deb() {
    deb=$work/deb
    lib=$deb/usr/lib/slipstream
    doc=$deb/usr/share/doc/slipstream
    mkdir -p "$deb/DEBIAN" "$deb/usr/bin" "$deb/usr/sbin" "$deb/usr/lib" "$deb/etc/slipstream" "$deb/etc/default" \
        "$deb/lib/systemd/system" "$deb/usr/share/bash-completion/completions" "$deb/usr/share/man/man1" \
        "$deb/usr/share/man/man5" "$deb/usr/share/lintian/overrides" "$doc"
    cp -R "$tree" "$lib"
    rm "$lib/LICENSE"
    mv "$lib/sbom.xml" "$lib/licences.txt" "$doc/"
    cp "$parts/places" "$lib/places"
    ln -s ../lib/slipstream/mta "$deb/usr/bin/mta"
    ln -s ../lib/slipstream/mta "$deb/usr/sbin/sendmail"
    ln -s ../sbin/sendmail "$deb/usr/lib/sendmail"
    ln -s ../sbin/sendmail "$deb/usr/bin/mailq"
    ln -s ../sbin/sendmail "$deb/usr/bin/newaliases"
    cp "$parts/mta.toml" "$deb/etc/slipstream/mta.toml"
    cp "$parts/default" "$deb/etc/default/slipstream"
    cp "$parts/slipstream.service" "$deb/lib/systemd/system/"
    cp "$work/completion" "$deb/usr/share/bash-completion/completions/mta"
    for page in "$work"/man/*; do
        gzip -9nc "$page" >"$deb/usr/share/man/man${page##*.}/${page##*/}.gz"
    done
    cp "$parts/lintian-overrides" "$deb/usr/share/lintian/overrides/slipstream"
    cp "$parts/copyright" "$doc/copyright"
    deb_version=$(echo "$version" | sed 's/-SNAPSHOT$/~SNAPSHOT/')
    printf 'slipstream (%s) unstable; urgency=medium\n\n  * The changes are in CHANGELOG.md of the sources.\n\n -- %s  %s\n' "$deb_version" \
        'Slipstream maintainers <maintainers@slipstream.example>' "$(date -R -d "$date")" | gzip -9n >"$doc/changelog.gz"

    glibc=$(newest_glibc)
    [ -n "$glibc" ] || fail 'the version of the C library that the runtime needs is unknown'
    for script in preinst postinst prerm postrm; do
        sed "s/@GLIBC@/$glibc/g" "$parts/$script" >"$deb/DEBIAN/$script"
        chmod 755 "$deb/DEBIAN/$script"
    done
    (cd "$deb" && find etc -type f | sort | sed 's|^|/|') >"$deb/DEBIAN/conffiles"
    (cd "$deb" && find etc lib usr -type f | sort | xargs -d '\n' md5sum) >"$deb/DEBIAN/md5sums"
    cat >"$deb/DEBIAN/control" <<EOF
Package: slipstream
Version: $deb_version
Architecture: $arch
Maintainer: Slipstream maintainers <maintainers@slipstream.example>
Installed-Size: $(du -sk --apparent-size "$deb/usr" | cut -f 1)
Section: mail
Priority: optional
Depends: libc6 (>= $glibc), adduser, init-system-helpers (>= 1.51)
Recommends: systemd
Provides: mail-transport-agent
Conflicts: mail-transport-agent
Replaces: mail-transport-agent
Homepage: https://slipstream.example
Description: mail server in which small mail slips past bulk mail
 Slipstream accepts mail by SMTP and from local programs, keeps it safe, and
 delivers it to other servers or into Maildirs. Its scheduler lets single
 messages pass long mailing lists. The package has the Java runtime that the
 program needs.
EOF
    rm -f "$out/slipstream_${deb_version}_$arch.deb"
    find "$deb" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zgzip -z6 --build "$deb" "$out/slipstream_${deb_version}_$arch.deb" >/dev/null
    rm -rf "$deb"
    say_made "$out/slipstream_${deb_version}_$arch.deb"
}
