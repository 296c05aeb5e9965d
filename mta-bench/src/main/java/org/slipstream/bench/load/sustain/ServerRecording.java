package org.slipstream.bench.load.sustain;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.stream.Collectors;

/// The flight recording of the server, with the activities of its threads during a stall: syncs and
/// writes by file, collections, other stops of the virtual machine, waits for monitors,
/// compilations, and samples of running threads.
final class ServerRecording {
    private static final List<String> EVENTS = List.of("FileForce#threshold=20ms", "FileWrite#threshold=20ms",
            "FileRead#threshold=20ms", "GCPhasePause#threshold=5ms", "ExecuteVMOperation#threshold=10ms",
            "JavaMonitorEnter#threshold=20ms", "VirtualThreadPinned#threshold=20ms", "Compilation#threshold=100ms",
            "ExecutionSample#period=20ms");

    private final long offsetNanos = Evidence.offsetNanos();
    private final Path file;

    ServerRecording(Path home) {
        file = home.resolve("stalls.jfr");
    }

    /// The option that makes the server write it; the file is complete when the server has ended.
    String javaOption() {
        return "-XX:StartFlightRecording:settings=none,filename=" + file + EVENTS.stream().map(ServerRecording::setting)
                .collect(Collectors.joining());
    }

    private static String setting(String event) {
        return ",+jdk." + event.substring(0, event.indexOf('#')) + "#enabled=true,+jdk." + event;
    }

    /// After the end of the server.
    void read(Queue<Evidence> found) throws IOException {
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                what(event).ifPresent(what -> found.add(new Evidence(Evidence.nanos(event.getStartTime()) + offsetNanos,
                        Evidence.nanos(event.getEndTime()) + offsetNanos, what)));
            }
        }
    }

    private static Optional<String> what(RecordedEvent event) {
        return switch (event.getEventType().getName()) {
            case "jdk.FileForce" -> Optional.of("server: sync of " + kindOf(event.getString("path")));
            case "jdk.FileWrite" -> Optional.of("server: write to " + kindOf(event.getString("path")));
            case "jdk.FileRead" -> Optional.of("server: read of " + kindOf(event.getString("path")));
            case "jdk.GCPhasePause" -> Optional.of("server: collector, " + event.getString("name"));
            case "jdk.ExecuteVMOperation" -> Optional.of("server: stop of the JVM, " + event.getString("operation"));
            case "jdk.JavaMonitorEnter" -> Optional.of("server: " + thread(event) + " waits for a monitor of "
                    + event.getClass("monitorClass").getName());
            case "jdk.VirtualThreadPinned" -> Optional.of("server: a virtual thread keeps its carrier");
            case "jdk.Compilation" -> Optional.of("server: compiler");
            case "jdk.ExecutionSample" ->
                Optional.of("sample: " + thread(event, "sampledThread") + " in " + frame(event));
            default -> Optional.empty();
        };
    }

    private static String kindOf(String path) {
        return path.endsWith(".segment") ? "the log" : path.endsWith(".mv.db") ? "the index" : path;
    }

    private static String thread(RecordedEvent event) {
        return thread(event, "eventThread");
    }

    private static String thread(RecordedEvent event, String field) {
        var thread = event.getThread(field);
        return thread == null || thread.getJavaName() == null || thread.getJavaName().isEmpty()
                ? "a virtual thread"
                : thread.getJavaName().replaceAll("[0-9]+", "N");
    }

    private static String frame(RecordedEvent event) {
        return event.getStackTrace() == null
                ? "?"
                : event.getStackTrace().getFrames().stream().map(RecordedFrame::getMethod)
                        .map(method -> method.getType().getName() + "." + method.getName())
                        .filter(name -> !name.startsWith("java.") && !name.startsWith("jdk.")).findFirst()
                        .orElse("the JDK");
    }
}
