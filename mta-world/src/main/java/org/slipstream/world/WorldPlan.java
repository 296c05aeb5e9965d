package org.slipstream.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;

/// Everything that decides a world: its seed, its size and its faults. As text it is a file that
/// repeats the world.
///
/// @param minutes during which mail comes and faults happen
/// @param faults with the orders of operators
record WorldPlan(long seed, int messages, int minutes, WorldShape shape, List<WorldFault> faults) {
    private static final int MOST_LINES = 1_000;
    private static final int MOST_DRAWN = 10;

    WorldPlan {
        faults = List.copyOf(faults);
        if (messages < 0 || messages > 100_000 || minutes < 1 || minutes > 100_000) {
            throw new IllegalArgumentException("a world has up to 100,000 messages and minutes");
        }
    }

    /// The parts of a world. A file names only what differs from [#PLAIN].
    ///
    /// @param growing shards are added and closed by load
    /// @param hosts of two of the domains
    /// @param looks how often the queue is asked while mail comes; each look brings the index up to date
    /// @param crowd so many messages of each client come at once and for one domain, whose hosts take their time; 0:
    ///     mail comes at any time, and hosts are quick
    record WorldShape(int shards, boolean growing, int hosts, int looks, int crowd) {
        static final WorldShape PLAIN = new WorldShape(1, false, 1, 0, 0);

        WorldShape {
            if (shards < 1 || shards > 16 || hosts < 1 || hosts > 9 || looks < 0 || looks > 100_000 || crowd < 0
                    || crowd > 1_000) {
                throw new IllegalArgumentException(
                        "a world has up to 16 shards, 9 hosts, 100,000 looks and a crowd of 1,000");
            }
        }

        /// @param crowds draws for crowds alone, so that worlds without one are as they were before there were crowds
        private static WorldShape drawn(Random random, Random crowds) {
            int shards = random.nextBoolean() ? 1 : 2 + random.nextInt(3);
            return new WorldShape(shards, random.nextInt(4) == 0, 1 + random.nextInt(2),
                    random.nextInt(3) == 0 ? 0 : 5 + random.nextInt(40),
                    crowds.nextInt(3) == 0 ? 2 + crowds.nextInt(8) : 0);
        }

        private String text() {
            return (shards == 1 && !growing ? "" : "shards " + shards + (growing ? " growing\n" : "\n"))
                    + (hosts == 1 ? "" : "hosts " + hosts + "\n") + (looks == 0 ? "" : "looks " + looks + "\n")
                    + (crowd == 0 ? "" : "crowd " + crowd + "\n");
        }
    }

    enum FaultKind {
        /// The process is killed, and started again a while later.
        KILL,
        /// The power fails: what no sync has made durable may be lost.
        CUT, DISK_SLOW, DISK_HUNG, DISK_FULL, DISK_FAILS,
        /// The network.
        NET_REFUSED, NET_LOST, NET_RESET, NET_SILENT, NET_APART, NET_SLOW,
        /// Answers of DNS.
        DNS_LOST, DNS_FAILS,
        /// The clock of the day is set; the other clock of the system is not.
        CLOCK,
        /// The settings are read again, with some changed.
        RELOAD,
        /// Orders of operators; all but the first are taken back after their time.
        FLUSH, HOLD, SUSPEND, LIMIT, DRAIN;

        private static final List<FaultKind> TROUBLES = Stream.of(values()).filter(each -> !each.isOrder()).toList();
        private static final List<FaultKind> ORDERS = Stream.of(values()).filter(FaultKind::isOrder).toList();

        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        boolean isOrder() {
            return compareTo(FLUSH) >= 0;
        }

        boolean isStop() {
            return this == KILL || this == CUT;
        }

        /// Whether it may begin in the middle of an access to the disk.
        private boolean isAimed() {
            return compareTo(DISK_FAILS) <= 0;
        }
    }

    /// @param strength shares of 1,000, milliseconds or seconds, as the kind has it; of an order, the number that
    ///     chooses its domain or shard
    /// @param writes it begins at this access to the disk after its second, in the middle of what the program does
    ///     there; 0 for at once
    record WorldFault(FaultKind kind, int atSeconds, int seconds, int strength, int writes) {
        private static final int MOST_WRITES = 1_000_000;

        WorldFault {
            if (atSeconds < 0 || seconds < 0 || writes < 0 || writes > MOST_WRITES) {
                throw new IllegalArgumentException("a fault has no negative time, and up to 1,000,000 accesses");
            }
        }

        /// Whether the log may tell of errors: those of the disk, and of a stop of the machine.
        boolean disturbsDisk() {
            return switch (kind) {
                case KILL, CUT, DISK_HUNG, DISK_FULL, DISK_FAILS, DISK_SLOW -> true;
                default -> false;
            };
        }

        /// Whether a host may take a message, and the server not learn it.
        boolean mayLoseReplies() {
            return switch (kind) {
                case RELOAD, CLOCK, DNS_LOST, DNS_FAILS, FLUSH, HOLD, SUSPEND, LIMIT, DRAIN -> false;
                default -> true;
            };
        }

        String text() {
            return (kind.isOrder() ? "order " : "fault ") + kind.word() + " " + atSeconds + " " + seconds + " "
                    + strength + (writes == 0 ? "" : " " + writes);
        }
    }

    /// A plan with faults drawn from the seed.
    ///
    /// Faults that meet each other and orders find more than many faults far apart. So most of them are near one
    /// of a few moments, one of which may be the first start, and most plans are short.
    static WorldPlan drawn(long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
        boolean small = random.nextInt(4) > 0;
        int minutes = small ? 2 + random.nextInt(7) : 20 + random.nextInt(100);
        int messages = 5 + random.nextInt(small ? 36 : 60);
        WorldShape shape = WorldShape.drawn(random, new Random(seed * 0x9E3779B97F4A7C15L + 2));
        List<Integer> moments = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            moments.add(random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 5 + random.nextInt(minutes * 60));
        }
        List<WorldFault> faults = new ArrayList<>();
        int count = random.nextInt(small ? 6 : 9);
        for (int i = 0; i < count && faults.size() < MOST_DRAWN; i++) {
            trouble(random, faults, at(random, moments, minutes), small);
        }
        int orders = random.nextBoolean() ? 0 : 1 + random.nextInt(6);
        for (int i = 0; i < orders; i++) {
            faults.add(new WorldFault(FaultKind.ORDERS.get(random.nextInt(FaultKind.ORDERS.size())),
                    at(random, moments, minutes), 2 + random.nextInt(small ? 120 : 600), random.nextInt(1_000), 0));
        }
        return new WorldPlan(seed, messages, minutes, shape, faults);
    }

    private static int at(Random random, List<Integer> moments, int minutes) {
        return random.nextInt(3) == 0
                ? 5 + random.nextInt(minutes * 60)
                : moments.get(random.nextInt(moments.size())) + random.nextInt(1 + random.nextInt(30));
    }

    /// One fault. A stop may be followed by others while the program starts again.
    private static void trouble(Random random, List<WorldFault> faults, int at, boolean small) {
        FaultKind kind = FaultKind.TROUBLES.get(random.nextInt(FaultKind.TROUBLES.size()));
        int seconds = switch (kind) {
            case KILL, CUT -> 1 + random.nextInt(random.nextBoolean() ? 5 : 60);
            case DISK_HUNG -> 1 + random.nextInt(200);
            default -> small ? 2 + random.nextInt(200) : 10 + random.nextInt(600);
        };
        int strength = switch (kind) {
            case DISK_SLOW, NET_SLOW -> 10 + random.nextInt(3_000);
            case DISK_FAILS -> 5 + random.nextInt(200);
            case CLOCK -> random.nextInt(7_200) - 3_600;
            default -> 50 + random.nextInt(900);
        };
        // Some of the accesses of a start, of a move or of a message: few or many.
        int writes = kind.isAimed() && random.nextBoolean() ? 1 + random.nextInt(1 << random.nextInt(9)) : 0;
        faults.add(new WorldFault(kind, at, seconds, strength, writes));
        if (kind.isStop() && random.nextBoolean() && faults.size() < MOST_DRAWN) {
            trouble(random, faults, at + seconds + random.nextInt(4), small);
        }
    }

    WorldPlan without(int fault) {
        List<WorldFault> fewer = new ArrayList<>(faults);
        fewer.remove(fault);
        return new WorldPlan(seed, messages, minutes, shape, fewer);
    }

    WorldPlan with(WorldShape other) {
        return new WorldPlan(seed, messages, minutes, other, faults);
    }

    boolean has(FaultKind kind) {
        return faults.stream().anyMatch(each -> each.kind() == kind);
    }

    /// A world of a second or two.
    boolean isSmall() {
        return minutes <= 8 && messages <= 40;
    }

    /// @param kinds of faults and orders, or `small`, or `shards`, `hosts` for several, or `looks`, `crowd`
    boolean hasAll(List<String> kinds) {
        return kinds.stream().allMatch(kind -> switch (kind) {
            case "small" -> isSmall();
            case "shards" -> shape.shards() > 1;
            case "hosts" -> shape.hosts() > 1;
            case "looks" -> shape.looks() > 0;
            case "crowd" -> shape.crowd() > 0;
            default -> faults.stream().anyMatch(each -> each.kind().word().equals(kind));
        });
    }

    String text() {
        StringBuilder text = new StringBuilder("slipstream-world 1\nseed " + seed + "\nmessages " + messages
                + "\nminutes " + minutes + "\n" + shape.text());
        faults.forEach(each -> text.append(each.text()).append('\n'));
        return text.toString();
    }

    /// Reads the beginning of a file of a failure. Lines from `history` on are for people.
    static WorldPlan read(String text) {
        List<String> lines = text.lines().limit(MOST_LINES).takeWhile(line -> !line.startsWith("history"))
                .map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("#")).toList();
        if (lines.isEmpty() || !lines.getFirst().equals("slipstream-world 1")) {
            throw new IllegalArgumentException(
                    "this is no file of a world: its first line is not \"slipstream-world 1\"");
        }
        long seed = 0;
        int messages = 0;
        int minutes = 1;
        WorldShape shape = WorldShape.PLAIN;
        List<WorldFault> faults = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] words = line.split(" ");
            switch (words[0] + "/" + words.length) {
                case "seed/2" -> seed = Long.parseLong(words[1]);
                case "messages/2" -> messages = Integer.parseInt(words[1]);
                case "minutes/2" -> minutes = Integer.parseInt(words[1]);
                case "shards/2", "shards/3" -> shape = new WorldShape(Integer.parseInt(words[1]),
                        line.endsWith(" growing"), shape.hosts(), shape.looks(), shape.crowd());
                case "hosts/2" -> shape = new WorldShape(shape.shards(), shape.growing(), Integer.parseInt(words[1]),
                        shape.looks(), shape.crowd());
                case "looks/2" -> shape = new WorldShape(shape.shards(), shape.growing(), shape.hosts(),
                        Integer.parseInt(words[1]), shape.crowd());
                case "crowd/2" -> shape = new WorldShape(shape.shards(), shape.growing(), shape.hosts(),
                        shape.looks(), Integer.parseInt(words[1]));
                case "fault/5", "order/5", "fault/6" -> faults.add(new WorldFault(
                        FaultKind.valueOf(words[1].toUpperCase(Locale.ROOT).replace('-', '_')),
                        Integer.parseInt(words[2]), Integer.parseInt(words[3]), Integer.parseInt(words[4]),
                        words.length == 6 ? Integer.parseInt(words[5]) : 0));
                default -> throw new IllegalArgumentException("not understood: " + line);
            }
        }
        return new WorldPlan(seed, messages, minutes, shape, faults);
    }
}
