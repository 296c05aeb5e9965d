package org.slipstream.guard.dkim;

import org.slipstream.auth.dkim.DkimAlgorithm;
import org.slipstream.auth.dkim.KeyName;
import org.slipstream.auth.dkim.SigningKey;
import org.slipstream.auth.dkim.SigningKeys;
import org.slipstream.core.text.Ascii;
import org.slipstream.settings.BoundedFiles;
import org.slipstream.settings.WholeFiles;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The keys of the own domains as files `DOMAIN/SELECTOR.pem`. The ending of a file is the state of
/// its key, so a change of state is one rename, and a key from elsewhere that is copied in signs.
///
/// The time of the last change of a file is the time at which its key came into its state.
public final class KeyFolder {
    /// In the home folder.
    public static final String NAME = "dkim";
    static final int MOST_DOMAINS = 10_000;
    /// Of a domain, in all states.
    static final int MOST_KEYS = 32;
    private static final int MOST_WATCHED_CLOSELY = 200;
    private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    /// @param since when the key came into this state
    public record StoredKey(SigningKey key, KeyState state, Instant since) {}

    private final Path folder;

    public KeyFolder(Path folder) {
        this.folder = folder;
    }

    /// The keys of the server with this home folder.
    public static KeyFolder in(Path home) {
        return new KeyFolder(home.resolve(NAME));
    }

    /// The folders and files that change when a key changes. A change of state changes its folder, so
    /// of very many keys only the folders are here.
    public List<Path> watched() {
        List<Path> watched = new ArrayList<>(List.of(folder));
        try {
            List<Path> domains = children(folder, MOST_DOMAINS);
            watched.addAll(domains);
            if (domains.size() <= MOST_WATCHED_CLOSELY) {
                for (Path domain : domains) {
                    watched.addAll(children(domain, MOST_KEYS));
                }
            }
        } catch (IOException tooMany) {
            // A reload tells it.
        }
        return watched;
    }

    /// All keys, by domain and age.
    ///
    /// @throws FileSystemException with the file and the reason in words, when a file is not a key, may
    /// be read by everybody, or there are too many
    public List<StoredKey> keys() throws IOException {
        List<StoredKey> keys = new ArrayList<>();
        for (Path domain : children(folder, MOST_DOMAINS)) {
            if (Files.isDirectory(domain)) {
                keys.addAll(keys(domain.getFileName().toString()));
            }
        }
        return keys;
    }

    /// The keys of one domain, the oldest first.
    public List<StoredKey> keys(String domain) throws IOException {
        List<StoredKey> keys = new ArrayList<>();
        for (Path file : children(folderOf(domain), MOST_KEYS)) {
            Optional<KeyState> state = state(file);
            if (state.isPresent()) {
                keys.add(read(domain, file, state.get()));
            }
        }
        keys.sort(Comparator.comparing(StoredKey::since).thenComparing(stored -> stored.key().name().selector()));
        return keys;
    }

    /// The keys that sign, as they are now.
    public SigningKeys signing() throws IOException {
        Map<String, List<SigningKey>> byDomain = new HashMap<>();
        for (StoredKey stored : keys()) {
            if (stored.state() == KeyState.ACTIVE) {
                byDomain.computeIfAbsent(stored.key().name().domain(), _ -> new ArrayList<>()).add(stored.key());
            }
        }
        return new SigningKeys(byDomain);
    }

    /// A new key with a selector of this day: `r20261127`, `e20261127b`.
    public StoredKey create(String domain, DkimAlgorithm algorithm, Instant now) throws IOException {
        Set<String> taken = new HashSet<>();
        for (StoredKey stored : keys(domain)) {
            taken.add(stored.key().name().selector());
        }
        String day = Ascii.lower(algorithm.name()).charAt(0) + DAY.format(LocalDate.ofInstant(now, ZoneOffset.UTC));
        String selector = day;
        for (char letter = 'b'; taken.contains(selector); letter++) {
            selector = day + letter;
        }
        return create(name(domain, selector), algorithm, now);
    }

    /// A new key with this selector, which no other key of the domain has.
    public StoredKey create(KeyName name, DkimAlgorithm algorithm, Instant now) throws IOException {
        List<StoredKey> present = keys(name.domain());
        if (present.size() >= MOST_KEYS) {
            throw new FileSystemException(folderOf(name.domain()).toString(), null,
                    "a domain has at most " + MOST_KEYS + " keys; remove retired ones");
        }
        if (present.stream().anyMatch(stored -> stored.key().name().equals(name))) {
            throw new FileAlreadyExistsException(file(name, KeyState.NEW).toString());
        }
        SigningKey key = SigningKey.create(name, algorithm);
        Path file = file(name, KeyState.NEW);
        Files.createDirectories(folder);
        Files.createDirectories(folderOf(name.domain()), WholeFiles.attributes(folder, "rwx------"));
        WholeFiles.write(file, key.pem().getBytes(StandardCharsets.US_ASCII), "rw-------");
        Files.setLastModifiedTime(file, FileTime.from(now));
        return new StoredKey(key, KeyState.NEW, now);
    }

    /// The next state of a key. A key does not come back from a later state: its record may be gone.
    ///
    /// @throws NoSuchFileException when there is no such key before this state
    public void move(KeyName name, KeyState to, Instant now) throws IOException {
        for (KeyState from : KeyState.values()) {
            Path file = file(name, from);
            if (from.compareTo(to) < 0 && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                Files.setLastModifiedTime(file, FileTime.from(now));
                Files.move(file, file(name, to), StandardCopyOption.ATOMIC_MOVE);
                return;
            }
        }
        throw new NoSuchFileException(file(name, to).toString(), null, "no such key in an earlier state");
    }

    /// Lets the new keys of a domain sign, and retires those that signed with their algorithms. The
    /// new ones come first: a kill in between leaves mail with two signatures, and not with none.
    ///
    /// @return the keys that have changed, in their new states; empty when there is no new key
    public List<StoredKey> rotate(String domain, Instant now) throws IOException {
        List<StoredKey> before = keys(domain);
        List<StoredKey> changed = new ArrayList<>();
        Set<DkimAlgorithm> renewed = EnumSet.noneOf(DkimAlgorithm.class);
        for (StoredKey stored : before) {
            if (stored.state() == KeyState.NEW) {
                renewed.add(stored.key().algorithm());
                changed.add(moved(stored, KeyState.ACTIVE, now));
            }
        }
        for (StoredKey stored : before) {
            if (stored.state() == KeyState.ACTIVE && renewed.contains(stored.key().algorithm())) {
                changed.add(moved(stored, KeyState.RETIRED, now));
            }
        }
        return changed;
    }

    private StoredKey moved(StoredKey stored, KeyState to, Instant now) throws IOException {
        move(stored.key().name(), to, now);
        return new StoredKey(stored.key(), to, now);
    }

    /// Deletes a key that does not sign.
    ///
    /// @throws NoSuchFileException when there is none, or it signs
    public void remove(KeyName name) throws IOException {
        boolean wasNew = Files.deleteIfExists(file(name, KeyState.NEW));
        if (!wasNew) {
            Files.delete(file(name, KeyState.RETIRED));
        }
    }

    private static Optional<KeyState> state(Path file) {
        String name = file.getFileName().toString();
        return Stream.of(KeyState.values()).filter(state -> name.endsWith(state.ending())).findFirst();
    }

    private StoredKey read(String domain, Path file, KeyState state) throws IOException {
        String selector = file.getFileName().toString();
        KeyName name = name(domain, selector.substring(0, selector.length() - state.ending().length()));
        if (WholeFiles.hasPermissions(file)
                && Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains)) {
            throw new FileSystemException(file.toString(), null,
                    "other users may read or write this private key; chmod o-rw");
        }
        try {
            String pem = new String(BoundedFiles.bytes(file, BoundedFiles.MOST_TEXT_OCTETS),
                    StandardCharsets.ISO_8859_1);
            return new StoredKey(SigningKey.read(name, pem), state, Files.getLastModifiedTime(file).toInstant());
        } catch (FileSystemException known) {
            throw known;
        } catch (IOException e) {
            FileSystemException named = new FileSystemException(file.toString(), null, e.getMessage());
            named.initCause(e);
            throw named;
        }
    }

    private static KeyName name(String domain, String selector) throws FileSystemException {
        return KeyName.of(domain, selector).filter(name -> name.domain().equals(domain))
                .orElseThrow(() -> new FileSystemException(domain + "/" + selector, null,
                        "a domain and its selector have letters, digits, \"-\", \"_\" and dots only, and small letters"));
    }

    private Path folderOf(String domain) throws FileSystemException {
        return folder.resolve(KeyName.plain(domain).filter(domain::equals)
                .orElseThrow(() -> new FileSystemException(domain, null, "not a domain in small letters of ASCII")));
    }

    private Path file(KeyName name, KeyState state) throws FileSystemException {
        return folderOf(name.domain()).resolve(name.selector() + state.ending());
    }

    /// Without hidden files; empty when there is no such folder.
    private static List<Path> children(Path folder, int most) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(folder)) {
            List<Path> some = all.filter(file -> !file.getFileName().toString().startsWith(".")).limit(most + 1L)
                    .sorted().toList();
            if (some.size() > most) {
                throw new FileSystemException(folder.toString(), null, "more than " + most + " entries");
            }
            return some;
        }
    }
}
