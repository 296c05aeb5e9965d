package org.slipstream.events.stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The places of readers that have names: a file for each. Events that one of them has not read stay, up to the size
/// of [EventSettings]. May be called by any thread.
///
/// A place is replaced in one step and not synced. After a power cut a reader may get events again, which it knows by
/// their ids.
public final class Subscribers {
    private static final Logger log = LoggerFactory.getLogger(Subscribers.class);
    /// Each keeps files from being deleted, and is a file itself.
    public static final int MOST = 64;
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");
    private static final Pattern FILE = Pattern.compile("(" + NAME.pattern() + ")\\.cursor");
    private static final int LONGEST = 4096;

    private final Path folder;
    private final Map<String, StreamCursor> places = new TreeMap<>();

    /// @param folder made with the first subscriber
    Subscribers(Path folder) throws IOException {
        this.folder = folder;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Matcher name = FILE.matcher(file.getFileName().toString());
                if (name.matches() && places.size() < MOST) {
                    places.put(name.group(1), read(file));
                }
            }
        } catch (NoSuchFileException none) {
            // No program has subscribed yet.
        }
    }

    private static StreamCursor read(Path file) throws IOException {
        Optional<StreamCursor> place = Files.size(file) > LONGEST
                ? Optional.empty()
                : StreamCursor.parse(Files.readString(file, StandardCharsets.UTF_8).strip());
        if (place.isEmpty()) {
            log.warn("event=event-cursor-damaged file={} next=\"its subscriber reads from the oldest event\"",
                    LogText.text(file.toString()));
        }
        return place.orElse(StreamCursor.OLDEST);
    }

    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    public synchronized Optional<StreamCursor> place(String name) {
        return Optional.ofNullable(places.get(name));
    }

    /// All subscribers with their places.
    public synchronized Map<String, StreamCursor> all() {
        return Map.copyOf(places);
    }

    /// Moves a subscriber, and makes it when it is new.
    ///
    /// @return false when there are [#MOST] others
    public synchronized boolean move(String name, StreamCursor place) throws IOException {
        if (!isName(name)) {
            throw new IllegalArgumentException("not a name of a subscriber: " + name);
        }
        if (!places.containsKey(name) && places.size() >= MOST) {
            return false;
        }
        Files.createDirectories(folder);
        Path fresh = folder.resolve(name + ".new");
        Files.writeString(fresh, place + "\n", StandardCharsets.UTF_8);
        Files.move(fresh, file(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        places.put(name, place);
        return true;
    }

    /// @return false when there is none of this name
    public synchronized boolean forget(String name) throws IOException {
        if (places.remove(name) == null) {
            return false;
        }
        Files.deleteIfExists(file(name));
        return true;
    }

    private Path file(String name) {
        return folder.resolve(name + ".cursor");
    }

    /// The place of the subscriber that is furthest behind in a shard.
    synchronized Optional<EventCursor> slowest(int shard) {
        return places.values().stream().map(place -> place.of(shard)).min(Comparator.naturalOrder());
    }
}
