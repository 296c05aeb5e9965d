package org.slipstream.server.config;

import org.slipstream.core.Address;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// What no value is wrong about by itself: values that contradict each other, files that are not there.
final class Checks {
    private static final String CERTIFICATE_MARK = "-----BEGIN CERTIFICATE-----";
    private static final String KEY_MARK = "PRIVATE KEY-----";

    private final Values values;
    private final Path home;
    private final Complaints complaints;

    Checks(Values values, Path home, Complaints complaints) {
        this.values = values;
        this.home = home;
        this.complaints = complaints;
    }

    void run() {
        ports();
        backoff();
        depth();
        mailboxes();
        postmaster();
        certificate();
        tlsOff();
        spool();
    }

    static Map<Key<?>, InetSocketAddress> listeners(Values values) {
        Map<Key<?>, InetSocketAddress> listeners = new LinkedHashMap<>();
        values.get(Keys.SMTP).ifPresent(address -> listeners.put(Keys.SMTP, address));
        values.get(Keys.SUBMISSION).ifPresent(address -> listeners.put(Keys.SUBMISSION, address));
        values.get(Keys.SUBMISSIONS).ifPresent(address -> listeners.put(Keys.SUBMISSIONS, address));
        values.get(Keys.LMTP).ifPresent(address -> listeners.put(Keys.LMTP, address));
        return listeners;
    }

    private void ports() {
        Map<Key<?>, InetSocketAddress> earlier = new LinkedHashMap<>();
        listeners(values).forEach((key, address) -> {
            earlier.forEach((other, taken) -> {
                if (collide(address, taken) && values.isSound(key, other)) {
                    Key<?> later = values.isGiven(key) ? key : other;
                    complaints.add(values.place(later), later.dotted(), key.dotted() + " and " + other.dotted()
                            + " have the same port " + address.getPort());
                }
            });
            earlier.put(key, address);
        });
    }

    private static boolean collide(InetSocketAddress a, InetSocketAddress b) {
        return a.getPort() != 0 && a.getPort() == b.getPort() && (a.getAddress().equals(b.getAddress())
                || a.getAddress().isAnyLocalAddress() || b.getAddress().isAnyLocalAddress());
    }

    private void backoff() {
        if (values.get(Keys.MINIMAL_BACKOFF) > values.get(Keys.MAXIMAL_BACKOFF)
                && values.isSound(Keys.MINIMAL_BACKOFF, Keys.MAXIMAL_BACKOFF)) {
            Key<?> given = values.isGiven(Keys.MINIMAL_BACKOFF) ? Keys.MINIMAL_BACKOFF : Keys.MAXIMAL_BACKOFF;
            complaints.add(values.place(given), given.dotted(),
                    "queue.minimal-backoff (" + Units.DURATIONS.write(values.get(Keys.MINIMAL_BACKOFF))
                            + ") is longer than queue.maximal-backoff ("
                            + Units.DURATIONS.write(values.get(Keys.MAXIMAL_BACKOFF)) + ")");
        }
    }

    private void depth() {
        int most = values.get(Keys.MOST_CONNECTION_DEPTH);
        if (values.isGiven(Keys.CONNECTION_DEPTH) && values.get(Keys.CONNECTION_DEPTH) > most
                && values.isSound(Keys.CONNECTION_DEPTH, Keys.MOST_CONNECTION_DEPTH)) {
            complaints.add(values.place(Keys.CONNECTION_DEPTH), Keys.CONNECTION_DEPTH.dotted(),
                    Keys.CONNECTION_DEPTH.dotted() + " (" + values.get(Keys.CONNECTION_DEPTH) + ") is more than "
                            + Keys.MOST_CONNECTION_DEPTH.dotted() + " (" + most + ")");
        }
    }

    private void mailboxes() {
        if (!values.isSound(Keys.DOMAINS)) {
            return;
        }
        for (String mailbox : values.get(Keys.MAILBOXES)) {
            Optional<Address> full = mailbox.contains("@") ? Address.parse(mailbox) : Optional.empty();
            if (full.isPresent() && !values.get(Keys.DOMAINS).contains(full.get().domainKey())) {
                complaints.add(values.place(Keys.MAILBOXES), Keys.MAILBOXES.dotted(),
                        "local.mailboxes: mail for " + mailbox + " does not end here",
                        Optional.of("add \"" + full.get().domainKey() + "\" to local.domains"));
            }
        }
    }

    private void postmaster() {
        String postmaster = values.get(Keys.POSTMASTER);
        if (!postmaster.contains("@") && values.get(Keys.DOMAINS).isEmpty()) {
            // RFC 5321 section 4.5.1: every server accepts mail for postmaster.
            Key<?> cause = values.isGiven(Keys.POSTMASTER) ? Keys.POSTMASTER : Keys.DOMAINS;
            complaints.add(values.place(cause), Keys.POSTMASTER.dotted(),
                    "local.postmaster = \"" + postmaster + "\" has no domain, and there is no local one",
                    Optional.of("give the full address of somebody who reads it"));
        }
    }

    private void certificate() {
        if (!values.isSound(Keys.CERTIFICATE, Keys.PRIVATE_KEY, Keys.FURTHER_PAIRS)) {
            return;
        }
        if (values.get(Keys.CERTIFICATE).isPresent() != values.get(Keys.PRIVATE_KEY).isPresent()) {
            Key<?> given = values.get(Keys.CERTIFICATE).isPresent() ? Keys.CERTIFICATE : Keys.PRIVATE_KEY;
            complaints.add(values.place(given), given.dotted(),
                    "tls.certificate and tls.key belong together, but only " + given.dotted() + " is set");
        }
        pem(Keys.CERTIFICATE, CERTIFICATE_MARK, "a certificate");
        pem(Keys.PRIVATE_KEY, KEY_MARK, "a private key");
        for (String words : values.get(Keys.FURTHER_PAIRS)) {
            Config.Tls.Pair pair = pair(home, words);
            pem(Keys.FURTHER_PAIRS, pair.certificate(), CERTIFICATE_MARK, "a certificate");
            pem(Keys.FURTHER_PAIRS, pair.key(), KEY_MARK, "a private key");
        }
    }

    // A login in clear text is not offered.
    private void tlsOff() {
        if (values.get(Keys.TLS_OFF).contains("submission") && values.get(Keys.SUBMISSION).isPresent()
                && !values.get(Keys.NETWORKS_WITHOUT_LOGIN)) {
            complaints.add(values.place(Keys.TLS_OFF), Keys.TLS_OFF.dotted(),
                    "tls.off names submission, where everybody has to log in and nobody can without TLS",
                    Optional.of("set listen.submission = \"off\" or submission.networks-without-login = true"));
        }
    }

    private void pem(Key<Optional<String>> key, String mark, String kind) {
        values.get(key).map(home::resolve).ifPresent(file -> pem(key, file, mark, kind));
    }

    private void pem(Key<?> key, Path file, String mark, String kind) {
        try {
            if (!Files.isRegularFile(file)) {
                complaints.add(values.place(key), key.dotted(), key.dotted() + ": there is no file " + file);
            } else if (!Files.readString(file, StandardCharsets.ISO_8859_1).contains(mark)) {
                complaints.add(values.place(key), key.dotted(),
                        key.dotted() + ": " + file + " does not hold " + kind + " in PEM");
            }
        } catch (IOException unreadable) {
            complaints.add(values.place(key), key.dotted(), key.dotted() + ": " + file + " cannot be read");
        }
    }

    /// Of the form of [MailForms#pair].
    static Config.Tls.Pair pair(Path home, String words) {
        String[] files = words.split("\\s+");
        return new Config.Tls.Pair(home.resolve(files[0]), home.resolve(files[files.length - 1]));
    }

    private void spool() {
        if (values.get(Keys.INLINE_SIZE) > values.get(Keys.SEGMENT_SIZE)
                && values.isSound(Keys.INLINE_SIZE, Keys.SEGMENT_SIZE)) {
            Key<?> given = values.isGiven(Keys.INLINE_SIZE) ? Keys.INLINE_SIZE : Keys.SEGMENT_SIZE;
            complaints.add(values.place(given), given.dotted(),
                    "spool.inline-size (" + Units.SIZES.write(values.get(Keys.INLINE_SIZE))
                            + ") is larger than spool.segment-size ("
                            + Units.SIZES.write(values.get(Keys.SEGMENT_SIZE)) + ")");
        }
    }
}
