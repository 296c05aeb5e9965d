package org.slipstream.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// A network path to one TCP port of this machine: each direction can fall silent, all connections can be
/// cut, and a path to PostgreSQL can be cut or held at a `COMMIT`.
///
/// A silent direction tells no one: octets wait, connections stay open, and new ones are accepted by the
/// kernel, as when a firewall drops packets. When it heals, what waited arrives, as TCP sends it again.
public final class FaultyLink implements AutoCloseable {
    private static final int CONNECT_MILLIS = 2_000;
    /// The answer of PostgreSQL to a commit: a message of type C with 11 octets after its type.
    private static final byte[] COMMITTED = {'C', 0, 0, 0, 11, 'C', 'O', 'M', 'M', 'I', 'T', 0};
    private static final String COMMIT = "COMMIT\0";

    private final ServerSocket listener;
    private final int target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile CommitFault fault = CommitFault.NONE;
    private boolean silentThere;
    private boolean silentBack;
    private boolean closed;

    /// The moment of a commit at which its connection ends, or is held.
    public enum CommitCut {
        /// The database gets no COMMIT.
        BEFORE,
        /// The database gets it, and the connection ends at once.
        WITHIN,
        /// The database has committed, and its answer is lost.
        AFTER
    }

    /// @param statement with which a statement of the transaction begins; empty for each commit
    /// @param holds all connections are held; otherwise that of the commit is cut
    private record CommitFault(CommitCut moment, String statement, boolean holds, AtomicInteger left) {
        static final CommitFault NONE = new CommitFault(CommitCut.AFTER, "", false, new AtomicInteger());

        boolean isTaken() {
            return left.getAndUpdate(commits -> Math.max(0, commits - 1)) > 0;
        }
    }

    /// One connection, as its client uses it. The driver prepares a statement once, and then names it only.
    private static final class Client {
        private final Map<String, Set<String>> names = new HashMap<>();
        private boolean isWanted;

        /// @return true for a commit of a transaction with such a statement
        synchronized boolean commits(byte[] block, int length, String statement) {
            isWanted |= statement.isEmpty() || has(block, length, statement);
            return has(block, length, COMMIT) && isWanted;
        }

        synchronized boolean hasCommitted() {
            boolean was = isWanted;
            isWanted = false;
            return was;
        }

        private boolean has(byte[] block, int length, String text) {
            Set<String> prepared = names.computeIfAbsent(text, _ -> new HashSet<>());
            int at = find(block, length, octets("\0" + text));
            if (at >= 0) {
                int start = at;
                while (start > 0 && Character.isDigit(block[start - 1])) {
                    start--;
                }
                String number = new String(block, start, at - start, StandardCharsets.US_ASCII);
                String before = new String(block, Math.max(0, start - 2), Math.min(2, start),
                        StandardCharsets.US_ASCII);
                if (before.equals("S_")) {
                    prepared.add(before + number);
                }
            }
            return at >= 0
                    || prepared.stream().anyMatch(name -> find(block, length, octets("\0" + name + "\0")) >= 0);
        }
    }

    /// @param target port on the loopback interface
    public FaultyLink(int target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 200, InetAddress.ofLiteral("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofPlatform().daemon().name("link-" + target).start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /// @param there octets of the clients wait
    /// @param back octets of the server wait
    public synchronized void silence(boolean there, boolean back) {
        silentThere = there;
        silentBack = back;
        notifyAll();
    }

    /// All octets wait.
    public void hold() {
        silence(true, true);
    }

    public void heal() {
        fault = CommitFault.NONE;
        silence(false, false);
    }

    public synchronized boolean isHeld() {
        return silentThere && silentBack;
    }

    /// Ends all connections.
    public void cut() {
        open.forEach(FaultyLink::closeQuietly);
    }

    /// The next commits lose their connections at this moment.
    public void cutCommits(CommitCut moment, int commits) {
        fault = new CommitFault(moment, "", false, new AtomicInteger(commits));
    }

    /// At this moment of the next transaction with a statement that begins so, everything is held.
    public void holdAtCommit(CommitCut moment, String statement) {
        fault = new CommitFault(moment, statement, true, new AtomicInteger(1));
    }

    /// Commits that are still to be cut.
    public int commitsToCut() {
        return fault.left().get();
    }

    private synchronized void pass(boolean there) throws IOException {
        try {
            while (!closed && (there ? silentThere : silentBack)) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        if (closed) {
            throw new IOException("closed");
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                open.add(client);
                Thread.ofPlatform().daemon().name("link-" + target).start(() -> connect(client));
            } catch (IOException e) {
                // Closed, or too many files: the next one may be accepted.
            }
        }
    }

    private void connect(Socket socket) {
        Socket server = new Socket();
        Client client = new Client();
        try {
            pass(true);
            server.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), target), CONNECT_MILLIS);
            socket.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            open.add(server);
            Thread.ofPlatform().daemon().name("link-back-" + target).start(() -> pump(server, socket, false, client));
            pump(socket, server, true, client);
        } catch (IOException e) {
            closeQuietly(socket);
            closeQuietly(server);
            open.remove(socket);
        }
    }

    private void pump(Socket from, Socket to, boolean there, Client client) {
        byte[] block = new byte[1 << 16];
        try (from; to; InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
            for (int got = in.read(block); got >= 0; got = in.read(block)) {
                pass(there);
                CommitFault now = fault;
                boolean isHit = isAt(now, there, client, block, got) && now.isTaken();
                if (isHit && now.moment() != CommitCut.WITHIN) {
                    if (!now.holds()) {
                        return;
                    }
                    hold();
                    pass(there);
                }
                out.write(block, 0, got);
                out.flush();
                if (isHit && now.moment() == CommitCut.WITHIN) {
                    if (!now.holds()) {
                        return;
                    }
                    hold();
                }
            }
        } catch (IOException e) {
            // The other direction was closed.
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private static boolean isAt(CommitFault fault, boolean there, Client client, byte[] block, int length) {
        if (there) {
            return client.commits(block, length, fault.statement()) && fault.moment() != CommitCut.AFTER;
        }
        return find(block, length, COMMITTED) >= 0 && client.hasCommitted() && fault.moment() == CommitCut.AFTER;
    }

    private static int find(byte[] block, int length, byte[] wanted) {
        for (int at = 0; at + wanted.length <= length; at++) {
            int same = 0;
            while (same < wanted.length && block[at + same] == wanted[same]) {
                same++;
            }
            if (same == wanted.length) {
                return at;
            }
        }
        return -1;
    }

    private static byte[] octets(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed.
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }
}
