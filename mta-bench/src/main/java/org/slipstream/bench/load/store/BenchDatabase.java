package org.slipstream.bench.load.store;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// A PostgreSQL with its standbys as processes of this machine, from the packages of a distribution. Its commits
/// wait for one of the standbys, whichever is first.
final class BenchDatabase implements AutoCloseable {
    private static final String SETTINGS = """
            listen_addresses = '127.0.0.1'
            shared_buffers = 256MB
            max_wal_size = 4GB
            max_connections = 200
            """;
    private static final int PARTS_BEFORE_UTIME = 11;

    private final Path programs;
    private final Path folder;
    private final List<Integer> ports = new ArrayList<>();

    private BenchDatabase(Path programs, Path folder) {
        this.programs = programs;
        this.folder = folder;
    }

    /// @param programs the folder with `initdb`
    /// @param folder that the user `postgres` may enter, when this process is root's
    static BenchDatabase start(Path programs, Path folder, int standbys) throws IOException, InterruptedException {
        BenchDatabase database = new BenchDatabase(programs, folder);
        asOwner("mkdir", folder.toString());
        database.server("initdb", "--pgdata=" + database.data(0), "--username=postgres", "--auth=trust", "--no-sync");
        database.launch(0, "");
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= standbys; i++) {
            database.server("pg_basebackup", "--pgdata=" + database.data(i), "--host=127.0.0.1", "--username=postgres",
                    "--port=" + database.ports.getFirst(), "--checkpoint=fast", "--write-recovery-conf", "--no-sync");
            database.launch(i, "primary_conninfo = 'host=127.0.0.1 user=postgres port=" + database.ports.getFirst()
                    + " application_name=s" + i + "'\n");
            names.add("s" + i);
        }
        if (standbys > 0) {
            database.server("psql", "--quiet", "--host=127.0.0.1", "--username=postgres",
                    "--port=" + database.ports.getFirst(), "--command=alter system set synchronous_standby_names ="
                            + " 'ANY 1 (" + String.join(", ", names) + ")'",
                    "--command=select pg_reload_conf()");
        }
        return database;
    }

    private String data(int number) {
        return folder.resolve(number == 0 ? "primary" : "standby" + number).toString();
    }

    private void launch(int number, String more) throws IOException, InterruptedException {
        ports.add(freePort());
        Path own = Path.of(data(number));
        // The last line of a name counts.
        asOwner("sh", "-c", "cat >> '" + own.resolve("postgresql.auto.conf") + "' <<'END'\n" + SETTINGS + "port = "
                + ports.getLast() + "\nunix_socket_directories = '" + own + "'\n" + more + "END");
        server("pg_ctl", "--pgdata=" + own, "--wait", "--log=" + own.resolveSibling(own.getFileName() + ".log"),
                "start");
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:" + ports.getFirst() + "/postgres?user=postgres";
    }

    /// Processor seconds of a server and its backends, also of those that have ended.
    ///
    /// @param number 0: the primary
    double cpuSeconds(int number) throws IOException {
        long head = Long.parseLong(Files.readAllLines(Path.of(data(number), "postmaster.pid")).getFirst());
        double sum = ticks(head, 4);
        for (ProcessHandle backend : ProcessHandle.of(head).orElseThrow().children().toList()) {
            try {
                sum += ticks(backend.pid(), 2);
            } catch (IOException ended) {
                // Its parent has its time.
            }
        }
        return sum / 100;
    }

    /// @param fields 2: its own time; 4: and that of children which have ended. Fields 14 to 17 of proc(5)
    private static double ticks(long pid, int fields) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        return Stream.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ")).skip(PARTS_BEFORE_UTIME).limit(fields)
                .mapToLong(Long::parseLong).sum();
    }

    private void server(String program, String... arguments) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(programs.resolve(program).toString()));
        line.addAll(List.of(arguments));
        asOwner(line.toArray(String[]::new));
    }

    /// PostgreSQL does not run as root.
    private static void asOwner(String... command) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            line.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
        }
        line.addAll(List.of(command));
        Path output = Files.createTempFile("postgres", ".out");
        int exit = new ProcessBuilder(line).directory(Path.of("/").toFile()).redirectErrorStream(true)
                .redirectOutput(output.toFile()).start().waitFor();
        String words = Files.readString(output);
        Files.delete(output);
        if (exit != 0) {
            throw new IOException(String.join(" ", line) + ": " + words);
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        for (int i = ports.size() - 1; i >= 0; i--) {
            server("pg_ctl", "--pgdata=" + data(i), "--mode=immediate", "--wait", "stop");
        }
        delete(folder);
    }

    static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
