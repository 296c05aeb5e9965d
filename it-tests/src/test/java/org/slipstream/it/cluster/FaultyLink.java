package org.slipstream.it.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// A network path to one TCP port of this machine: each direction can fall silent, all connections can be
/// cut, and a path to PostgreSQL can be cut at a `COMMIT`.
///
/// A silent direction tells no one: octets wait, connections stay open, and new ones are accepted by the
/// kernel, as when a firewall drops packets. When it heals, what waited arrives, as TCP sends it again.
final class FaultyLink implements AutoCloseable {
    private static final int CONNECT_MILLIS = 2_000;
    /// The answer of PostgreSQL to a commit: a message of type C with 11 octets after its type.
    private static final byte[] COMMITTED = {'C', 0, 0, 0, 11, 'C', 'O', 'M', 'M', 'I', 'T', 0};
    private static final byte[] COMMIT = "\0COMMIT\0".getBytes(StandardCharsets.US_ASCII);

    private final ServerSocket listener;
    private final int target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger commitsToCut = new AtomicInteger();
    private volatile CommitCut cut = CommitCut.AFTER;
    private boolean silentThere;
    private boolean silentBack;
    private boolean closed;

    /// The moment of a commit at which its connection ends.
    enum CommitCut {
        /// The database gets no COMMIT.
        BEFORE,
        /// The database gets it, and the connection ends at once.
        WITHIN,
        /// The database has committed, and its answer is lost.
        AFTER
    }

    /// @param target port on the loopback interface
    FaultyLink(int target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 200, InetAddress.ofLiteral("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofPlatform().daemon().name("link-" + target).start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /// @param there octets of the clients wait
    /// @param back octets of the server wait
    synchronized void silence(boolean there, boolean back) {
        silentThere = there;
        silentBack = back;
        notifyAll();
    }

    void heal() {
        commitsToCut.set(0);
        silence(false, false);
    }

    /// Ends all connections.
    void cut() {
        open.forEach(FaultyLink::closeQuietly);
    }

    /// The next commits lose their connections at this moment.
    void cutCommits(CommitCut moment, int commits) {
        cut = moment;
        commitsToCut.set(commits);
    }

    /// Commits that are still to be cut.
    int commitsToCut() {
        return commitsToCut.get();
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

    private void connect(Socket client) {
        Socket server = new Socket();
        try {
            pass(true);
            server.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), target), CONNECT_MILLIS);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            open.add(server);
            Thread.ofPlatform().daemon().name("link-back-" + target).start(() -> pump(server, client, false));
            pump(client, server, true);
        } catch (IOException e) {
            closeQuietly(client);
            closeQuietly(server);
            open.remove(client);
        }
    }

    private void pump(Socket from, Socket to, boolean there) {
        byte[] block = new byte[1 << 16];
        Set<String> commits = new HashSet<>();
        try (from; to; InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
            for (int got = in.read(block); got >= 0; got = in.read(block)) {
                pass(there);
                boolean isCut = isCut(block, got, there, commits);
                if (isCut && cut != CommitCut.WITHIN) {
                    return;
                }
                out.write(block, 0, got);
                out.flush();
                if (isCut) {
                    return;
                }
            }
        } catch (IOException e) {
            // The other direction was closed.
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    /// The driver prepares COMMIT once for each connection, and then names the statement only.
    private boolean isCut(byte[] block, int length, boolean there, Set<String> commits) {
        if (!there) {
            return cut == CommitCut.AFTER && commitsToCut.get() > 0 && find(block, length, COMMITTED) >= 0
                    && takeOne();
        }
        int prepared = find(block, length, COMMIT);
        if (prepared > 0) {
            int start = prepared;
            while (start > 0 && block[start - 1] > ' ') {
                start--;
            }
            commits.add(new String(block, start, prepared - start, StandardCharsets.US_ASCII));
        }
        return cut != CommitCut.AFTER && commitsToCut.get() > 0
                && (prepared >= 0 || commits.stream().anyMatch(name -> find(block, length,
                        ("\0" + name + "\0").getBytes(StandardCharsets.US_ASCII)) >= 0))
                && takeOne();
    }

    private boolean takeOne() {
        return commitsToCut.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
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
