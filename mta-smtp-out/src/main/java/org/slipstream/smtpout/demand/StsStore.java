package org.slipstream.smtpout.demand;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.auth.sts.StsPolicy;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The policies of MTA-STS that this server knows, each in a file named after its domain, so that a
/// restart forgets none: an attacker who can stop the lookup of a policy must not get rid of it
/// (RFC 8461 section 10.2). A file is a line with the id and the time, then the policy.
///
/// At most [#MOST_DOMAINS] are kept; the one that was fetched first goes first. A damaged file is
/// removed, and its policy is fetched again.
final class StsStore {
    static final int MOST_DOMAINS = 5_000;

    private static final Logger log = LoggerFactory.getLogger(StsStore.class);
    private static final int IN_MEMORY = 200;
    private static final int MOST_OCTETS = StsPolicy.MOST_OCTETS + 1_024;
    private static final Pattern DOMAIN = Pattern.compile("[a-z0-9_-]{1,63}(?:\\.[a-z0-9_-]{1,63})+");
    private static final Pattern FIRST = Pattern.compile("id ([A-Za-z0-9]{1,32}) fetched ([0-9]{1,15})\n");
    private static final String SUFFIX = ".sts";

    private final Optional<Path> folder;
    private final int most;

    // Guarded by this. In order of use.
    private final Map<String, StoredPolicy> memory = new LinkedHashMap<>(16, 0.75f, true);

    /// A policy with the record that announced it.
    record StoredPolicy(String id, long fetchedMillis, StsPolicy policy) {
        boolean isValid(long nowMillis) {
            return nowMillis < untilMillis() && nowMillis >= fetchedMillis;
        }

        /// True when half of its time has passed.
        boolean isOld(long nowMillis) {
            return nowMillis - fetchedMillis > policy.maxAgeSeconds() * 500;
        }

        private long untilMillis() {
            // A shorter time would make each message fetch the policy.
            return fetchedMillis + Math.max(policy.maxAgeSeconds() * 1_000, StsPolicies.PAUSE_MILLIS);
        }
    }

    /// @param folder empty to keep policies in memory only
    StsStore(Optional<Path> folder, int most) {
        this.folder = folder;
        this.most = most;
    }

    /// True for a name that can have a policy, and whose file has a harmless name.
    static boolean isDomain(String domain) {
        return domain.length() <= 240 && DOMAIN.matcher(domain).matches();
    }

    synchronized Optional<StoredPolicy> find(String domain, long nowMillis) {
        return Optional.ofNullable(memory.get(domain)).or(() -> read(domain).map(found -> remember(domain, found)))
                .filter(found -> found.isValid(nowMillis));
    }

    synchronized void keep(String domain, StoredPolicy policy) {
        remember(domain, policy);
        if (folder.isPresent()) {
            write(folder.get(), domain, policy);
        }
    }

    private StoredPolicy remember(String domain, StoredPolicy policy) {
        memory.put(domain, policy);
        if (memory.size() > IN_MEMORY) {
            memory.remove(memory.keySet().iterator().next());
        }
        return policy;
    }

    private Optional<StoredPolicy> read(String domain) {
        Optional<Path> file = folder.map(each -> each.resolve(domain + SUFFIX)).filter(Files::isRegularFile);
        if (file.isEmpty()) {
            return Optional.empty();
        }
        try (InputStream in = Files.newInputStream(file.get())) {
            Optional<StoredPolicy> stored = parsed(new String(in.readNBytes(MOST_OCTETS), StandardCharsets.UTF_8));
            if (stored.isEmpty()) {
                log.warn("event=sts-policy-damaged domain={} file=\"{}\" next=\"fetched again\"",
                        LogText.word(domain), LogText.text(file.get().toString()));
                Files.deleteIfExists(file.get());
            }
            return stored;
        } catch (IOException unreadable) {
            log.warn("event=sts-policy-damaged domain={} file=\"{}\" next=\"fetched again\" error=\"{}\"",
                    LogText.word(domain), LogText.text(file.get().toString()),
                    LogText.text(FailureWords.of(unreadable)));
            return Optional.empty();
        }
    }

    private static Optional<StoredPolicy> parsed(String text) {
        Matcher first = FIRST.matcher(text);
        if (!first.lookingAt()) {
            return Optional.empty();
        }
        return StsPolicy.read(text.substring(first.end())
                .getBytes(StandardCharsets.UTF_8)) instanceof StsPolicy.PolicyReading.Valid(StsPolicy policy)
                        ? Optional.of(new StoredPolicy(first.group(1), Long.parseLong(first.group(2)), policy))
                        : Optional.empty();
    }

    private void write(Path into, String domain, StoredPolicy policy) {
        String text = "id " + policy.id() + " fetched " + policy.fetchedMillis() + "\n"
                + String.join("\n", policy.policy().lines()) + "\n";
        try {
            Files.createDirectories(into);
            Path draft = Files.writeString(into.resolve(domain + ".new"), text);
            Files.move(draft, into.resolve(domain + SUFFIX), StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            removeOldest(into);
        } catch (IOException unwritable) {
            log.warn("event=sts-policy-not-kept domain={} error=\"{}\" next=\"kept in memory\"",
                    LogText.word(domain), LogText.text(FailureWords.of(unwritable)));
        }
    }

    private void removeOldest(Path from) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(from)) {
            files = new ArrayList<>(all.toList());
        }
        if (files.size() > most) {
            files.sort(Comparator.comparing((Path file) -> file.toFile().lastModified()));
            for (Path file : files.subList(0, files.size() - most)) {
                Files.deleteIfExists(file);
            }
        }
    }
}
