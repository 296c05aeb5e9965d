package org.slipstream.bench.load.sustain;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The heap of another JVM, read by `jstat`, which reads what the JVM publishes without a request
/// to it, and by `jcmd`. Both come from the JDK that runs it.
final class Heap implements AutoCloseable {
    private static final String EVERY_MILLIS = "2000";

    private final long pid;
    private final Path tools;
    private final Process jstat;
    private volatile HeapState last = new HeapState(Double.NaN, 0, 0);

    /// @param afterMebibytes the rest after the last collection: the survivors and the old
    ///     generation
    /// @param collections since the start
    /// @param pauseSeconds in all of them
    record HeapState(double afterMebibytes, long collections, double pauseSeconds) {}

    Heap(long pid) throws IOException {
        this.pid = pid;
        tools = ProcessHandle.of(pid).flatMap(process -> process.info().command())
                .map(java -> Path.of(java).getParent())
                .orElseThrow(() -> new IOException("there is no command of process " + pid));
        jstat = new ProcessBuilder(tools.resolve("jstat").toString(), "-J-Xmx32m", "-J-XX:TieredStopAtLevel=1", "-gc",
                Long.toString(pid), EVERY_MILLIS).redirectError(Redirect.DISCARD).start();
        Thread.ofPlatform().daemon().name("jstat").start(this::follow);
    }

    HeapState last() {
        return last;
    }

    /// The live heap after a full collection, which this call requests.
    double liveMebibytes() throws IOException, InterruptedException {
        Process jcmd = new ProcessBuilder(tools.resolve("jcmd").toString(), Long.toString(pid), "GC.class_histogram")
                .redirectError(Redirect.DISCARD).start();
        // The last line: Total, instances, bytes.
        List<String> lines = jcmd.inputReader(StandardCharsets.UTF_8).readAllLines();
        jcmd.waitFor();
        String[] total = lines.isEmpty() ? new String[0] : lines.getLast().trim().split(" +");
        if (total.length != 3 || !total[0].equals("Total")) {
            throw new IOException("jcmd told nothing of the heap");
        }
        return Long.parseLong(total[2]) / 1048576.0;
    }

    private void follow() {
        try (BufferedReader lines = jstat.inputReader(StandardCharsets.UTF_8)) {
            String[] names = words(lines.readLine());
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                last = state(names, words(line));
            }
        } catch (IOException | UncheckedIOException ended) {
            // With its process, or ours.
        }
    }

    private static HeapState state(String[] names, String[] values) {
        Map<String, Double> told = new HashMap<>();
        for (int i = 0; i < Math.min(names.length, values.length); i++) {
            if (!values[i].equals("-")) {
                told.put(names[i], Double.parseDouble(values[i]));
            }
        }
        double kibibytes = Arrays.stream(new String[]{"S0U", "S1U", "OU"})
                .mapToDouble(name -> told.getOrDefault(name, 0.0)).sum();
        return new HeapState(kibibytes / 1_024, (long) (told.getOrDefault("YGC", 0.0) + told.getOrDefault("FGC", 0.0)),
                told.getOrDefault("GCT", 0.0));
    }

    private static String[] words(@Nullable String line) {
        return line == null ? new String[0] : line.trim().split(" +");
    }

    @Override
    public void close() {
        jstat.destroy();
    }
}
