package org.slipstream.config;

import org.slipstream.core.FailureWords;
import org.slipstream.core.QueueId;
import org.slipstream.core.SettingsRecords;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.spool.DatabaseLost;
import org.slipstream.spool.LogEngine;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.log.Directories;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The file `shards` of the home folder: number, mode and folder of each shard (IM-08).
///
/// A change is on disk when [#write] returns, and a crash leaves the old file or the new one. The
/// modes are orders of an operator, and the folders say where mail is, so both outlive the process.
/// A server with one shard in the folder of the spool has no such file.
public final class ShardStore {
    public static final String NAME = "shards";
    private static final List<String> HEADING = List.of(
            "# The shards of this server (docs/shards.md). The server writes this file: stop it before a change.",
            "slipstream-shards 1");
    private static final Pattern COUNT = Pattern.compile("count ([0-9]{1,3})");
    private static final Pattern KEEPER = Pattern.compile("records ([0-9]{1,3})");
    private static final Pattern SHARD = Pattern.compile("shard ([0-9]{1,3}) (open|closed) ([a-z]+) (.+)");

    private final Path home;
    private final Path file;

    private ShardStore(Path home) {
        this.home = home.toAbsolutePath().normalize();
        this.file = this.home.resolve(NAME);
    }

    public static ShardStore in(Path home) {
        return new ShardStore(home);
    }

    /// The settings of the spool of a shard, where it was opened last. Empty for a shard that was
    /// never open.
    ///
    /// @throws IOException when the file of shards cannot be read
    public static Optional<SpoolConfig> spool(Config config, int shard) throws IOException {
        return shard == 1
                ? Optional.of(config.spool())
                : in(config.home()).read().stream().filter(each -> each.number() == shard).findFirst()
                        .map(stored -> stored.spool(config.spool()));
    }

    /// The spool of the mail that this server keeps while its database is gone ([DatabaseLost#KEEP_HERE]). It is in
    /// no file of shards.
    public static SpoolConfig keptHere(SpoolConfig spool) {
        Path folder = spool.directory().resolveSibling(spool.directory().getFileName() + "-here");
        return SettingsRecords.with(SettingsRecords.with(spool, "directory", folder), "engine", LogEngine.FILES);
    }

    /// Empty when this server has never kept mail.
    public static Optional<SpoolConfig> keptHere(Config config) {
        return Optional.of(keptHere(config.spool())).filter(kept -> Files.exists(kept.directory()));
    }

    /// The spools of the open shards by number.
    ///
    /// @throws IOException when the file of shards cannot be read
    public static SortedMap<Integer, SpoolConfig> spools(Config config) throws IOException {
        SortedMap<Integer, SpoolConfig> spools = new TreeMap<>();
        in(config.home()).read().stream().filter(each -> !each.isRetired())
                .forEach(each -> spools.put(each.number(), each.spool(config.spool())));
        if (spools.isEmpty()) {
            spools.put(1, config.spool());
        }
        return spools;
    }

    /// The spools that may have a message, the one that its id names first.
    public static List<SpoolConfig> spools(Config config, QueueId id) throws IOException {
        List<StoredShard> known = new ArrayList<>(in(config.home()).read());
        known.sort(Comparator.comparing(shard -> shard.number() != id.shard()));
        Stream<SpoolConfig> shards = known.isEmpty()
                ? Stream.of(config.spool())
                : known.stream().filter(shard -> !shard.isRetired()).map(shard -> shard.spool(config.spool()));
        return Stream.concat(shards, keptHere(config).stream()).toList();
    }

    /// The shards by number; empty when there is no file.
    ///
    /// @throws IOException with the place and the way out when the file is damaged
    public List<StoredShard> read() throws IOException {
        Optional<List<String>> lines = lines();
        return lines.isEmpty() ? List.of() : parsed(lines.get());
    }

    /// The shard whose spool keeps the records of hosts and the standing orders: the first open one, unless
    /// the file names another. Empty when there is no file.
    ///
    /// @throws IOException when the file names no open shard
    public Optional<Integer> keeper() throws IOException {
        int line = 0;
        for (String text : lines().orElse(List.of())) {
            line++;
            Matcher named = KEEPER.matcher(text);
            if (named.matches()) {
                int number = Integer.parseInt(named.group(1));
                require(read().stream().anyMatch(each -> each.number() == number && !each.closed()), line,
                        "names no open shard");
                return Optional.of(number);
            }
        }
        return read().stream().filter(each -> !each.closed()).map(StoredShard::number).findFirst();
    }

    /// Empty when there is no file.
    private Optional<List<String>> lines() throws IOException {
        try {
            return Optional.of(Files.readAllLines(file));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException unreadable) {
            throw new IOException("the file " + file + " cannot be read: " + FailureWords.of(unreadable), unreadable);
        }
    }

    private List<StoredShard> parsed(List<String> lines) throws IOException {
        List<StoredShard> shards = new ArrayList<>();
        Optional<Integer> count = Optional.empty();
        int line = 0;
        boolean headed = false;
        for (String text : lines) {
            line++;
            Matcher number = COUNT.matcher(text);
            if (text.isBlank() || text.startsWith("#")) {
                continue;
            }
            if (!headed) {
                headed = text.equals(HEADING.getLast());
                require(headed, line, "is not \"" + HEADING.getLast() + "\"");
            } else if (number.matches()) {
                count = Optional.of(Integer.parseInt(number.group(1)));
            } else if (!KEEPER.matcher(text).matches()) {
                shards.add(shard(text, line, shards));
            }
        }
        require(count.isPresent() && count.get() == shards.size(), Math.max(1, line),
                "ends a file with " + shards.size() + " shards, and its line \"count\" names "
                        + count.map(String::valueOf).orElse("none"));
        shards.sort(Comparator.comparingInt(StoredShard::number));
        return shards;
    }

    private StoredShard shard(String text, int line, List<StoredShard> earlier) throws IOException {
        Matcher shard = SHARD.matcher(text);
        require(shard.matches(), line, "has not the form \"shard NUMBER open|closed MODE FOLDER\"");
        int number = Integer.parseInt(shard.group(1));
        require(number >= 1 && number <= ShardSettings.LAST_NUMBER, line,
                "has the number " + number + ", and numbers are from 1 to " + ShardSettings.LAST_NUMBER);
        Optional<ShardMode> mode = Arrays.stream(ShardMode.values())
                .filter(each -> SettingsRecords.word(each).equals(shard.group(3))).findFirst();
        require(mode.isPresent(), line, "has the mode \"" + shard.group(3)
                + "\", and modes are normal, held, disabled and drained");
        Path folder = home.resolve(shard.group(4)).normalize();
        for (StoredShard other : earlier) {
            require(other.number() != number, line, "names shard " + number + " again");
            require(!other.folder().equals(folder), line, "has the folder of shard " + other.number());
        }
        return new StoredShard(number, mode.orElseThrow(), shard.group(2).equals("closed"), folder);
    }

    private void require(boolean sound, int line, String what) throws IOException {
        if (!sound) {
            throw new IOException(file + " line " + line + " " + what + ": correct it by hand, or move the file away;"
                    + " then the settings and mta shard add open the folders again");
        }
    }

    /// Replaces the file. One shard in the folder of the spool needs none.
    ///
    /// @param keeper the shard whose spool keeps the records of hosts and the standing orders
    /// @param spool the folder of the spool
    public void write(List<StoredShard> shards, int keeper, Path spool) throws IOException {
        boolean plain = shards.equals(List.of(new StoredShard(1, ShardMode.NORMAL, false, spool)));
        boolean exists = Files.exists(file);
        if (plain && !exists) {
            return;
        }
        List<String> lines = new ArrayList<>(HEADING);
        lines.add("count " + shards.size());
        int first = shards.stream().filter(each -> !each.closed()).mapToInt(StoredShard::number).min().orElse(keeper);
        if (keeper != first) {
            lines.add("records " + keeper);
        }
        for (StoredShard shard : shards) {
            lines.add(line(shard));
        }
        String text = String.join("\n", lines) + "\n";
        if (!exists || !Files.readString(file).equals(text)) {
            replace(text);
        }
    }

    private String line(StoredShard shard) throws IOException {
        // A home folder that is moved takes its shards along.
        Path folder = shard.folder().startsWith(home) ? home.relativize(shard.folder()) : shard.folder();
        if (folder.toString().lines().count() != 1) {
            throw new IOException("the folder of shard " + shard.number() + " has a line end in its name");
        }
        return "shard " + shard.number() + " " + (shard.closed() ? "closed" : "open") + " "
                + SettingsRecords.word(shard.mode()) + " " + folder;
    }

    private void replace(String text) throws IOException {
        Path temporary = file.resolveSibling(NAME + ".new");
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Directories.sync(home);
    }
}
