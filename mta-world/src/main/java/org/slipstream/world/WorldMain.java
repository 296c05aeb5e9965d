package org.slipstream.world;

import org.slipstream.world.agent.WorldAgent;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.instrument.UnmodifiableClassException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

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

    /// @param arguments the folder, then `run SEED-OR-FILE …`, `night MINUTES FIRST-SEED` or `replay SEED-OR-FILE`
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
            case "replay" -> worlds.replay(rest.getFirst());
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
                // Not one long sleep: a process that stood still has not worked.
                for (long i = 0; i < LONGEST.toSeconds(); i++) {
                    Thread.sleep(1_000);
                }
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
        List<WorldPlan.WorldFault> each = new ArrayList<>();
        for (WorldPlan.FaultKind kind : WorldPlan.FaultKind.values()) {
            each.add(new WorldPlan.WorldFault(kind, 20 + 20 * kind.ordinal(), 10, 300, 0));
        }
        run(new WorldPlan(0, 40, 8, new WorldPlan.WorldShape(2, true, 2, 10, 3), each));
    }

    private static String line(MailWorld.WorldResult result) {
        return ("world seed=%d faults=%d messages=%d fingerprint=%016x"
                + " virtual=%.0f real=%.2f turns=%d syncs=%d files=%d threads=%d descriptors=%d connections=%d"
                + " troubles=%d")
                .formatted(result.plan().seed(), result.plan().faults().size(), result.plan().messages(),
                        result.fingerprint(), result.virtualSeconds(), result.realSeconds(), result.turns(),
                        result.syncs(), result.files(), result.atRest().threads(), result.atRest().descriptors(),
                        result.atRest().connections(), result.troubles().size());
    }

    private static WorldPlan plan(String seedOrFile) throws IOException {
        return seedOrFile.matches("-?\\d+")
                ? WorldPlan.drawn(Long.parseLong(seedOrFile))
                : WorldPlan.read(Files.readString(Path.of(seedOrFile)));
    }

    private boolean run(List<String> worlds) throws IOException {
        warmUp();
        boolean good = true;
        for (String each : worlds) {
            MailWorld.WorldResult result = run(plan(each));
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

    private boolean replay(String world) throws IOException {
        warmUp();
        MailWorld.WorldResult result = run(plan(world));
        out.print(result.plan().text());
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

    // ---- mistakes that were put back

    /// For each mistake, runs seed after seed until a world fails. No file is made of it.
    ///
    /// @param length for each
    private boolean hunt(Duration length, long first, List<String> bugs) throws IOException {
        warmUp();
        boolean all = true;
        for (String bug : bugs) {
            String[] parts = bug.split(":");
            List<PutBack> changed = PutBack.in(folder.resolve(WorldBugs.FOLDER + parts[0]).resolve("classes"));
            try {
                changed.forEach(PutBack::wrong);
                all &= hunt(parts[0], length, first, List.of(parts[1].split(",")));
            } finally {
                changed.forEach(PutBack::right);
            }
        }
        return all;
    }

    /// @param kinds plans without these are passed over
    private boolean hunt(String bug, Duration length, long first, List<String> kinds) throws IOException {
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
                out.println("hunted bug=%s worlds=%d virtual=%.1f real=%.0f seed=%d trouble=%s".formatted(bug, count,
                        virtual / 3_600, (System.nanoTime() - began) / 1e9, seed,
                        result.troubles().getFirst().lines().findFirst().orElse("")));
                return true;
            }
        }
        out.println("hunted bug=%s worlds=%d virtual=%.1f real=%.0f and not found".formatted(bug, count,
                virtual / 3_600, (System.nanoTime() - began) / 1e9));
        return false;
    }

    /// A class of the program with a mistake of the past, and as it is.
    private record PutBack(Class<?> changed, byte[] wrongCode, byte[] rightCode) {
        static List<PutBack> in(Path classes) throws IOException {
            List<PutBack> all = new ArrayList<>();
            try (Stream<Path> files = Files.walk(classes)) {
                for (Path each : files.filter(file -> file.toString().endsWith(".class")).sorted().toList()) {
                    String name = classes.relativize(each).toString();
                    byte[] wrong = Files.readAllBytes(each);
                    try (InputStream in = Objects.requireNonNull(WorldMain.class.getResourceAsStream("/" + name))) {
                        byte[] right = in.readAllBytes();
                        if (!Arrays.equals(right, wrong)) {
                            all.add(new PutBack(Class.forName(name.replace(".class", "").replace('/', '.')), wrong,
                                    right));
                        }
                    } catch (ClassNotFoundException unknown) {
                        throw new IllegalStateException(unknown);
                    }
                }
            }
            return all;
        }

        void wrong() {
            redefine(wrongCode);
        }

        void right() {
            redefine(rightCode);
        }

        private void redefine(byte[] code) {
            try {
                WorldAgent.redefine(changed, code);
            } catch (UnmodifiableClassException | UnsupportedOperationException other) {
                throw new IllegalStateException("a patch may change methods of " + changed + ", and not their number",
                        other);
            }
        }
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
