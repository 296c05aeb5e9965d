# Part of build/package: the container image, in the format of `docker save`.

# What a JVM and the launcher need of a system, from the packages of this machine: the C library and a shell.
make_system() {
    system=$1
    mkdir -p "$system/bin" "$system/etc/slipstream" "$system/lib64" "$system/usr/bin" "$system/tmp" "$system/var/lib/slipstream"
    dpkg -L libc6 | grep -E '/(ld-linux[^/]*|lib(c|m|dl|pthread|rt|resolv|nss_dns|nss_files))\.so\.[0-9]+$' |
        while read -r file; do
            [ ! -d "$file" ] || continue
            mkdir -p "$system${file%/*}"
            cp -L "$file" "$system$file"
        done
    loader=$(find "$system" -name 'ld-linux*' | head -n 1)
    [ -n "$loader" ] || fail 'the files of the package libc6 are not where they are expected'
    [ -e "$system/lib64/${loader##*/}" ] || ln -s "${loader#"$system"}" "$system/lib64/${loader##*/}"
    cp "$(command -v busybox)" "$system/bin/busybox"
    # The first process of a container inherits orphans and must reap them; a JVM does not. Debian's busybox has no nice.
    cp "$(command -v tini)" "$(command -v nice)" "$system/bin/"
    for name in sh cat chmod cmp cp cut date dirname env find grep head id ionice kill ls mkdir mv printf ps readlink rm rmdir sed \
        sleep sort tail test tr wget; do
        busybox --list | grep -qx "$name" || fail "the busybox of this machine has no $name"
        ln -s busybox "$system/bin/$name"
    done
    ln -s /bin/env "$system/usr/bin/env"
    printf 'root:x:0:0:root:/:/bin/sh\nslipstream:x:10025:10025:Slipstream mail server:/var/lib/slipstream:/bin/sh\n' >"$system/etc/passwd"
    printf 'root:x:0:\nslipstream:x:10025:\n' >"$system/etc/group"
    echo 'hosts: files dns' >"$system/etc/nsswitch.conf"
}

# The folder of mail belongs to the server, all other files to root.
pack_layer() {
    system=$1
    pack "$system" . >"$work/layer.tar"
    tar --delete -f "$work/layer.tar" ./var/lib/slipstream ./tmp
    tar --append --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=10025 --group=10025 --numeric-owner --no-recursion \
        -C "$system" -f "$work/layer.tar" ./var/lib/slipstream
    tar --append --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --mode=1777 --numeric-owner --no-recursion \
        -C "$system" -f "$work/layer.tar" ./tmp
}

image_config() {
    cat <<EOF
{"architecture":"$arch","os":"linux","created":"$date",
"config":{"User":"10025:10025","WorkingDir":"/var/lib/slipstream","StopSignal":"SIGTERM",
"Entrypoint":["/bin/tini","-s","--","/usr/lib/slipstream/mta"],"Cmd":["run"],
"Env":["PATH=/usr/bin:/bin","SLIPSTREAM_HOME=/var/lib/slipstream","SLIPSTREAM_CONFIG=/etc/slipstream/mta.toml","SLIPSTREAM_CACHE=/var/lib/slipstream/cache"],
"ExposedPorts":{"2525/tcp":{},"2587/tcp":{}},"Volumes":{"/var/lib/slipstream":{}},
"Healthcheck":{"Test":["CMD","/usr/lib/slipstream/mta","status"],"Interval":30000000000,"Timeout":20000000000,"StartPeriod":60000000000,"Retries":3},
"Labels":{"org.opencontainers.image.title":"Slipstream","org.opencontainers.image.version":"$version","org.opencontainers.image.licenses":"Apache-2.0"}},
"rootfs":{"type":"layers","diff_ids":["sha256:$1"]},
"history":[{"created":"$date","created_by":"build/package image"}]}
EOF
}

make_image() {
    make_system "$work/system"
    mkdir -p "$work/system/usr/lib"
    cp -R "$tree" "$work/system/usr/lib/slipstream"
    ln -s ../lib/slipstream/mta "$work/system/usr/bin/mta"
    cp "$parts/image.toml" "$work/system/etc/slipstream/mta.toml"
    pack_layer "$work/system"
    layer=$(sha256sum "$work/layer.tar" | cut -c 1-64)
    image=$work/image
    mkdir -p "$image/$layer"
    mv "$work/layer.tar" "$image/$layer/layer.tar"
    image_config "$layer" >"$work/config.json"
    config=$(sha256sum "$work/config.json" | cut -c 1-64)
    mv "$work/config.json" "$image/$config.json"
    printf '[{"Config":"%s.json","RepoTags":["slipstream:%s","slipstream:latest"],"Layers":["%s/layer.tar"]}]\n' \
        "$config" "$version" "$layer" >"$image/manifest.json"
    (cd "$image" && tar --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        -cf "$out/slipstream-$version-image.tar" -- *)
    rm -rf "$image" "$work/system"
    say_made "$out/slipstream-$version-image.tar"
}
