package org.slipstream.it.cluster;

import org.slipstream.it.fixture.TinyDisk;
import org.slipstream.testkit.Folders;
import org.slipstream.testkit.UnusedPort;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.slipstream.it.fixture.MailAssert.eventually;

/// One PostgreSQL of Debian as processes of its own, primary or standby. As root the processes belong to the
/// user `postgres`. No server outlives this virtual machine.
final class PostgresServer implements AutoCloseable {
    private static final String DISK = "size=480m,mode=0700";
    private static final Path VERSIONS = Path.of("/usr/lib/postgresql");
    private static final boolean ROOT = "root".equals(System.getProperty("user.name"));
    private static final Set<PostgresServer> MADE = ConcurrentHashMap.newKeySet();
    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> MADE.forEach(PostgresServer::close)));
    }

    private final String name;
    private final Path data;
    private final Path wal;
    private final Path log;
    private final Optional<TinyDisk> dataDisk;
    private final Optional<TinyDisk> walDisk;
    private final int port = UnusedPort.now();
    private Optional<Process> process = Optional.empty();

    /// @param name also that of the standby
    /// @param folder that the user `postgres` can reach, for the data and the log
    /// @param ownDisks the tables and the WAL have a small disk each
    PostgresServer(String name, Path folder, boolean ownDisks) {
        this.name = name;
        this.dataDisk = ownDisks ? Optional.of(disk(folder.resolve(name + ".disk"))) : Optional.empty();
        this.walDisk = ownDisks ? Optional.of(disk(folder.resolve(name + ".wal-disk"))) : Optional.empty();
        this.data = dataDisk.map(TinyDisk::folder).orElse(folder).resolve(name);
        this.wal = walDisk.map(TinyDisk::folder).orElse(folder).resolve(name + "-wal");
        this.log = folder.resolve(name + ".log");
        MADE.add(this);
    }

    private static TinyDisk disk(Path folder) {
        try {
            return TinyDisk.mount(Files.createDirectory(folder),
                    DISK + ",uid=" + number("-u") + ",gid=" + number("-g"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String number(String option) {
        return ProgramRun.of("id", option, "postgres").mustSucceed().out().strip();
    }

    /// Only root may make disks, and they are in memory.
    static boolean mayHaveDisks() {
        return ROOT;
    }

    boolean hasDisks() {
        return dataDisk.isPresent();
    }

    /// @param ofWal the disk of the WAL, in place of that of the tables
    void fillDisk(boolean ofWal) {
        (ofWal ? walDisk : dataDisk).orElseThrow().fillUpTo(0);
    }

    void freeDisks() {
        dataDisk.ifPresent(TinyDisk::free);
        walDisk.ifPresent(TinyDisk::free);
    }

    /// The programs of the newest version; empty when PostgreSQL is not installed.
    static Optional<Path> programs() {
        if (!Files.isDirectory(VERSIONS)) {
            return Optional.empty();
        }
        try (Stream<Path> versions = Files.list(VERSIONS)) {
            return versions.map(version -> version.resolve("bin"))
                    .filter(bin -> Files.isExecutable(bin.resolve("pg_basebackup"))
                            && Files.isExecutable(bin.resolve("initdb")))
                    .max(Comparator.comparingInt(bin -> Integer
                            .parseInt("0" + bin.getParent().getFileName().toString().replaceAll("\\D.*", ""))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A folder for servers. The user `postgres` has to reach it, so it is not under `target`.
    static Path folder() {
        try {
            Path folder = Files.createTempDirectory("cluster-faults");
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            if (ROOT) {
                Files.setOwner(folder,
                        folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("postgres"));
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String name() {
        return name;
    }

    int port() {
        return port;
    }

    Path data() {
        return data;
    }

    Path log() {
        return log;
    }

    boolean isAlive() {
        return process.filter(Process::isAlive).isPresent();
    }

    /// The first server of all.
    void initialize() {
        run("initdb", "-D", data.toString(), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C",
                "--no-sync", "-X", wal.toString()).mustSucceed();
    }

    /// A copy of this primary, in place of what was here.
    ///
    /// @param from port of the primary
    void copyOf(int from) {
        try {
            Folders.delete(data);
            Folders.delete(wal);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        run("pg_basebackup", "-h", "127.0.0.1", "-p", String.valueOf(from), "-U", "postgres", "-D", data.toString(),
                "-X", "stream", "-c", "fast", "--no-sync",
                "--waldir", wal.toString()).mustSucceed();
    }

    /// As a standby: the primary that it follows. Takes effect at the next start, or at once for one that runs.
    void follow(int primaryPort) {
        write("standby.signal", "");
        configure("host=127.0.0.1 port=" + primaryPort + " user=postgres application_name=" + name
                + " connect_timeout=2 keepalives_idle=2");
        process.filter(Process::isAlive).ifPresent(running -> signal("HUP", List.of(running.pid())));
    }

    /// For the first start of a primary.
    void lead() {
        configure("");
    }

    private void configure(String primary) {
        try {
            Files.deleteIfExists(data.resolve("postgresql.auto.conf"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        write("postgresql.conf", """
                port = %d
                listen_addresses = '127.0.0.1'
                unix_socket_directories = ''
                max_connections = 80
                shared_buffers = 64MB
                max_wal_senders = 10
                wal_keep_size = 192MB
                max_wal_size = 192MB
                min_wal_size = 48MB
                wal_recycle = off
                wal_init_zero = off
                wal_sender_timeout = 10s
                wal_receiver_timeout = 10s
                wal_retrieve_retry_interval = 200ms
                synchronous_standby_names = 'ANY 1 (p0, p1, p2)'
                primary_conninfo = '%s'
                log_line_prefix = '%%m [%%p] %%a '
                """.formatted(port, primary));
    }

    private void write(String file, String text) {
        try {
            Path path = Files.writeString(data.resolve(file), text);
            if (ROOT) {
                Files.setOwner(path, Files.getOwner(data));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns when it answers, as a standby too.
    void start() {
        launch();
        eventually().until(() -> answers() || !isAlive());
        if (!isAlive()) {
            throw new AssertionError(name + " ended: " + lastLines());
        }
    }

    /// Does not wait.
    void launch() {
        try {
            process = Optional.of(new ProcessBuilder(command("postgres", "-D", data.toString()))
                    .redirectErrorStream(true).redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(Redirect.appendTo(log.toFile())).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean answers() {
        try {
            return query("select 1").equals("1");
        } catch (SQLException e) {
            return false;
        }
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port
                + "/postgres?user=postgres&connectTimeout=3&socketTimeout=10&ApplicationName=faults");
    }

    /// The first column of the first row; empty text without one.
    String query(String sql) throws SQLException {
        try (Connection connection = connect(); Statement statement = connection.createStatement()) {
            // A statement of the harness waits for no standby.
            statement.execute("set synchronous_commit = local");
            if (!statement.execute(sql)) {
                return "";
            }
            try (ResultSet rows = statement.getResultSet()) {
                return rows.next() ? String.valueOf(rows.getString(1)) : "";
            }
        }
    }

    /// Octets of WAL that this standby has on its disk.
    long received() {
        try {
            return Long.parseLong(query("select greatest(coalesce(pg_last_wal_receive_lsn() - '0/0'::pg_lsn, 0),"
                    + " coalesce(pg_last_wal_replay_lsn() - '0/0'::pg_lsn, 0))"));
        } catch (SQLException e) {
            throw new IllegalStateException(name + " does not tell how much it has", e);
        }
    }

    void promote() {
        try {
            query("select pg_promote(true, 60)");
        } catch (SQLException e) {
            throw new IllegalStateException(name + " was not promoted", e);
        }
    }

    /// All processes at once, as when the machine loses its power.
    void kill() {
        List<Long> all = family();
        signal("KILL", all);
        process.ifPresent(running -> running.onExit().orTimeout(60, TimeUnit.SECONDS).join());
        // Without their parent, the others end by themselves, and hold the memory until then.
        eventually().until(() -> all.stream().noneMatch(PostgresServer::exists));
    }

    void freeze() {
        signal("STOP", family());
    }

    void goOn() {
        signal("CONT", family());
    }

    /// In order.
    void stop() {
        process.filter(Process::isAlive).ifPresent(running -> {
            signal("INT", List.of(running.pid()));
            try {
                if (!running.waitFor(30, TimeUnit.SECONDS)) {
                    kill();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                kill();
            }
        });
    }

    private List<Long> family() {
        return process.map(running -> Stream.concat(Stream.of(running.pid()), running.descendants()
                .map(ProcessHandle::pid)).toList()).orElse(List.of());
    }

    private static boolean exists(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    }

    static void signal(String name, List<Long> processes) {
        if (!processes.isEmpty()) {
            List<String> command = new ArrayList<>(List.of("kill", "-" + name));
            processes.forEach(each -> command.add(String.valueOf(each)));
            // One of them may be gone already.
            ProgramRun.of(new byte[0], command);
        }
    }

    private ProgramRun run(String... command) {
        return ProgramRun.of(new byte[0], command(command));
    }

    private static List<String> command(String... words) {
        List<String> command = new ArrayList<>();
        if (ROOT) {
            command.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
        }
        command.add(programs().orElseThrow(() -> new AssertionError("PostgreSQL is not installed, the package is"
                + " postgresql")).resolve(words[0]).toString());
        command.addAll(List.of(words).subList(1, words.length));
        return command;
    }

    String lastLines() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        if (!MADE.remove(this)) {
            return;
        }
        if (isAlive()) {
            kill();
        }
        dataDisk.ifPresent(TinyDisk::close);
        walDisk.ifPresent(TinyDisk::close);
    }
}
