package org.slipstream.world;

import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Runs worlds, one after the other, in the JVM that [WorldProcess] starts.
///
/// Its first world is not counted: it initialises the static parts of all classes, so that the same
/// seed has the same history as the first world or as the thousandth.
public final class WorldMain {
    static final int EXIT_FAILED = 1;
    /// A world that takes longer in real time has a thread that waits outside of it, or spins.
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final int MOST_LINES = 3_000;

    private final Path folder;
    private final PrintStream out;

    private WorldMain(Path folder, PrintStream out) {
        this.folder = folder;
        this.out = out;
    }

    /// @param arguments the folder, then `run SEED-OR-FILE …`, `night MINUTES FIRST-SEED` or `replay FILE`
    public static void main(String[] arguments) throws IOException {
        prepare();
        WorldMain worlds = new WorldMain(Path.of(arguments[0]), System.out);
        List<String> rest = List.of(arguments).subList(2, arguments.length);
        boolean good = switch (arguments[1]) {
            case "run" -> worlds.run(rest);
            case "night" -> worlds.night(Duration.ofMinutes(Long.parseLong(rest.getFirst())),
                    Long.parseLong(rest.get(1)));
            case "hunt" -> worlds.hunt(Duration.ofMinutes(Long.parseLong(rest.getFirst())),
                    Long.parseLong(rest.get(1)), rest.subList(2, rest.size()));
            case "replay" -> worlds.replay(Path.of(rest.getFirst()));
            default -> throw new IllegalArgumentException("run, night or replay, not " + arguments[1]);
        };
        System.out.flush();
        // Threads of a world may stand where they were dropped.
        Runtime.getRuntime().halt(good ? 0 : EXIT_FAILED);
    }

    @SuppressWarnings("deprecation") // The only way to give the JDK's sockets an implementation.
    private static void prepare() throws IOException {
        Security.insertProviderAt(new WorldRandom(), 1);
        Socket.setSocketImplFactory(() -> new WorldSocket(() -> MailWorld.present().network()));
        ServerSocket.setSocketFactory(() -> new WorldSocket(() -> MailWorld.present().network()));
    }

    private MailWorld.WorldResult run(WorldPlan plan) throws IOException {
        Thread watch = new Thread(() -> {
            try {
                Thread.sleep(LONGEST);
                out.println("stuck " + plan.text().replace('\n', ';'));
                MailWorld.present().lastEvents(30).forEach(out::println);
                Thread.getAllStackTraces().forEach((thread, stack) -> out.println(thread + " " + List.of(stack)));
                out.flush();
                Runtime.getRuntime().halt(EXIT_FAILED);
            } catch (InterruptedException inTime) {
                // The world has ended.
            }
        });
        watch.setDaemon(true);
        watch.start();
        try {
            return MailWorld.run(plan, folder.resolve("world"));
        } finally {
            watch.interrupt();
        }
    }

    private void warmUp() throws IOException {
        run(new WorldPlan(0, 6, 1, new WorldPlan.WorldShape(2, true, 2, 3), List.of()));
    }

    private static String line(MailWorld.WorldResult result) {
        return ("world seed=%d faults=%d messages=%d fingerprint=%016x"
                + " virtual=%.0f real=%.2f turns=%d syncs=%d files=%d heap=%dM troubles=%d")
                .formatted(result.plan().seed(), result.plan().faults().size(), result.plan().messages(),
                        result.fingerprint(), result.virtualSeconds(), result.realSeconds(), result.turns(),
                        result.syncs(), result.files(), result.heapBytes() >> 20, result.troubles().size());
    }

    private boolean run(List<String> worlds) throws IOException {
        warmUp();
        boolean good = true;
        for (String each : worlds) {
            MailWorld.WorldResult result = run(each.matches("-?\\d+")
                    ? WorldPlan.drawn(Long.parseLong(each))
                    : WorldPlan.read(Files.readString(Path.of(each))));
            out.println(line(result));
            if (!result.isGood()) {
                good = false;
                result.troubles().forEach(trouble -> out.println("  " + trouble));
                keep(result);
            }
        }
        return good;
    }

    // ---- a failure is a file

    private boolean replay(Path file) throws IOException {
        warmUp();
        MailWorld.WorldResult result = run(WorldPlan.read(Files.readString(file)));
        result.history().forEach(out::println);
        out.println(line(result));
        result.troubles().forEach(each -> out.println("  " + each));
        return result.isGood();
    }

    private Path keep(MailWorld.WorldResult failed) throws IOException {
        MailWorld.WorldResult least = shrunk(failed);
        StringBuilder text = new StringBuilder(least.plan().text());
        text.append("history\n");
        least.troubles().forEach(each -> text.append("# ").append(each.replace("\n", "\n#   ")).append('\n'));
        least.history().stream().limit(MOST_LINES).forEach(each -> text.append(each).append('\n'));
        Path file = folder.resolve("world-" + failed.plan().seed() + ".txt");
        Files.writeString(file, text);
        out.println("  kept in " + file + " with " + least.plan().faults().size() + " faults");
        return file;
    }

    /// Drops faults as long as the world still fails in the same way.
    private MailWorld.WorldResult shrunk(MailWorld.WorldResult failed) throws IOException {
        MailWorld.WorldResult least = failed;
        for (int i = failed.plan().faults().size() - 1; i >= 0; i--) {
            MailWorld.WorldResult smaller = run(least.plan().without(i));
            if (!smaller.isGood() && kind(smaller).equals(kind(failed))) {
                least = smaller;
            }
        }
        return least;
    }

    private static String kind(MailWorld.WorldResult failed) {
        return failed.troubles().getFirst().replaceAll("\\d+", "#").replaceAll("(?s)(.{60}).*", "$1");
    }

    // ---- a mistake that was put back

    /// Runs seed after seed until a world fails. No file is made of it.
    ///
    /// @param kinds plans without these are passed over
    private boolean hunt(Duration length, long first, List<String> kinds) throws IOException {
        warmUp();
        double virtual = 0;
        int count = 0;
        long began = System.nanoTime();
        for (long seed = first; System.nanoTime() - began < length.toNanos(); seed++) {
            WorldPlan plan = WorldPlan.drawn(seed);
            if (!plan.hasAll(kinds)) {
                continue;
            }
            MailWorld.WorldResult result = run(plan);
            out.println(line(result));
            virtual += result.virtualSeconds();
            count++;
            if (!result.isGood()) {
                result.troubles().forEach(each -> out.println("  " + each));
                out.println("hunted worlds=%d virtual=%.1f real=%.0f seed=%d trouble=%s".formatted(count,
                        virtual / 3_600, (System.nanoTime() - began) / 1e9, seed,
                        result.troubles().getFirst().lines().findFirst().orElse("")));
                return true;
            }
        }
        return false;
    }

    // ---- a night

    private boolean night(Duration length, long first) throws IOException {
        warmUp();
        WorldNight night = new WorldNight(first);
        for (long seed = first; night.seconds() < length.toSeconds(); seed++) {
            MailWorld.WorldResult result = run(WorldPlan.drawn(seed));
            if (!result.isGood()) {
                out.println(line(result));
                result.troubles().stream().limit(3).forEach(each -> out.println("  " + each));
                keep(result);
            }
            night.add(result);
            night.write(folder);
        }
        out.println(night.summary() + "; report in " + folder.resolve(WorldNight.PAGE));
        return night.isGood();
    }

    /// The folder for files of worlds: in memory where the system has such a folder.
    static Path quick(Path usual) {
        return Optional.of(Path.of("/dev/shm")).filter(Files::isWritable).orElse(usual);
    }
}
