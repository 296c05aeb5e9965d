package org.slipstream.world;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

/// Channels on the network of the world; the JDK finds this class by the property
/// `java.nio.channels.spi.SelectorProvider`. Selectors select clients of servers, no more.
public final class WorldChannels extends SelectorProvider {
    private static WorldNetwork network() {
        return MailWorld.present().network();
    }

    @Override
    public SocketChannel openSocketChannel() {
        return new Connected(this, new WorldSocket(WorldChannels::network));
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) {
        return openSocketChannel();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() {
        return new Listening(this);
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) {
        return openServerSocketChannel();
    }

    @Override
    public AbstractSelector openSelector() {
        return new Selecting(this);
    }

    @Override
    public DatagramChannel openDatagramChannel() {
        throw new UnsupportedOperationException("no UDP");
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) {
        throw new UnsupportedOperationException("no UDP");
    }

    @Override
    public Pipe openPipe() {
        throw new UnsupportedOperationException("no pipes");
    }

    private static final class Adaptor extends Socket {
        private final Connected channel;

        Adaptor(Connected channel, WorldSocket socket) throws SocketException {
            super(socket);
            this.channel = channel;
        }

        @Override
        public SocketChannel getChannel() {
            return channel;
        }

        @Override
        public void close() throws IOException {
            super.close();
            if (channel.isOpen()) {
                channel.close();
            }
        }
    }

    private static final class Connected extends SocketChannel {
        private final WorldSocket socket;
        private @Nullable Adaptor adaptor;

        Connected(SelectorProvider provider, WorldSocket socket) {
            super(provider);
            this.socket = socket;
        }

        @Override
        public Socket socket() {
            Adaptor made = adaptor;
            try {
                if (made == null) {
                    made = new Adaptor(this, socket);
                    adaptor = made;
                }
            } catch (SocketException impossible) {
                throw new IllegalStateException(impossible);
            }
            return made;
        }

        private WorldNetwork.WorldLink link() throws IOException {
            if (!isOpen()) {
                throw new ClosedChannelException();
            }
            return socket.link();
        }

        @Override
        public boolean connect(SocketAddress where) throws IOException {
            socket.connect(where, 0);
            return true;
        }

        @Override
        public int read(ByteBuffer into) throws IOException {
            byte[] bytes = new byte[Math.min(into.remaining(), 16 << 10)];
            int count;
            try {
                count = link().read(bytes, 0, bytes.length, 0);
            } catch (SocketException failed) {
                if (!isOpen()) {
                    throw new AsynchronousCloseException();
                }
                throw failed;
            }
            if (count > 0) {
                into.put(bytes, 0, count);
            }
            return count;
        }

        @Override
        public long read(ByteBuffer[] into, int offset, int length) throws IOException {
            return length == 0 ? 0 : read(into[offset]);
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            byte[] bytes = new byte[from.remaining()];
            from.get(from.position(), bytes);
            try {
                link().write(bytes, 0, bytes.length);
            } catch (SocketException failed) {
                if (!isOpen()) {
                    throw new AsynchronousCloseException();
                }
                throw failed;
            }
            from.position(from.limit());
            return bytes.length;
        }

        @Override
        public long write(ByteBuffer[] from, int offset, int length) throws IOException {
            long all = 0;
            for (int i = offset; i < offset + length; i++) {
                all += write(from[i]);
            }
            return all;
        }

        @Override
        protected void implCloseSelectableChannel() {
            socket.close();
        }

        @Override
        protected void implConfigureBlocking(boolean block) {
            // A client of a selector answers in blocking mode only.
        }

        @Override
        public boolean isConnected() {
            try {
                socket.link();
                return true;
            } catch (SocketException not) {
                return false;
            }
        }

        @Override
        public boolean isConnectionPending() {
            return false;
        }

        @Override
        public boolean finishConnect() {
            return true;
        }

        @Override
        public SocketAddress getRemoteAddress() throws IOException {
            return socket.link().remote();
        }

        @Override
        public SocketAddress getLocalAddress() throws IOException {
            return socket.link().local();
        }

        @Override
        public SocketChannel bind(SocketAddress local) {
            return this;
        }

        @Override
        public <T> SocketChannel setOption(SocketOption<T> name, T value) {
            return this;
        }

        @Override
        public <T> T getOption(SocketOption<T> name) {
            throw new UnsupportedOperationException(name.name());
        }

        @Override
        public Set<SocketOption<?>> supportedOptions() {
            return Set.of();
        }

        @Override
        public SocketChannel shutdownInput() throws IOException {
            link().shutdownInput();
            return this;
        }

        @Override
        public SocketChannel shutdownOutput() throws IOException {
            link().shutdownOutput();
            return this;
        }
    }

    private static final class Listening extends ServerSocketChannel {
        private WorldNetwork.@Nullable Port port;
        private SocketAddress address = new InetSocketAddress(0);

        Listening(SelectorProvider provider) {
            super(provider);
        }

        WorldNetwork.Port port() throws IOException {
            if (!isOpen()) {
                throw new ClosedChannelException();
            }
            return Objects.requireNonNull(port);
        }

        @Override
        public ServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
            port = network().listen(local);
            address = local;
            if (local instanceof UnixDomainSocketAddress unix) {
                Files.createFile(unix.getPath());
            }
            return this;
        }

        @Override
        public @Nullable SocketChannel accept() throws IOException {
            if (!isBlocking() && !port().hasClient()) {
                return null;
            }
            WorldNetwork.WorldLink link = port().accept(0);
            return new Connected(provider(), WorldSocket.of(link));
        }

        @Override
        protected void implCloseSelectableChannel() {
            WorldNetwork.Port open = port;
            if (open != null) {
                open.close();
            }
        }

        @Override
        protected void implConfigureBlocking(boolean block) {
            // `accept` asks for the mode.
        }

        @Override
        public SocketAddress getLocalAddress() {
            return address;
        }

        @Override
        public ServerSocket socket() {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) {
            return this;
        }

        @Override
        public <T> T getOption(SocketOption<T> name) {
            throw new UnsupportedOperationException(name.name());
        }

        @Override
        public Set<SocketOption<?>> supportedOptions() {
            return Set.of();
        }
    }

    private static final class Selecting extends AbstractSelector {
        private final Set<SelectionKey> all = new LinkedHashSet<>();
        private final Set<SelectionKey> selected = new LinkedHashSet<>();
        private final WorldNetwork.Waiters waiters = new WorldNetwork.Waiters();
        private boolean woken;

        Selecting(SelectorProvider provider) {
            super(provider);
        }

        private final class Key extends AbstractSelectionKey {
            private final Listening channel;

            Key(Listening channel) {
                this.channel = channel;
            }

            @Override
            public SelectableChannel channel() {
                return channel;
            }

            @Override
            public Selector selector() {
                return Selecting.this;
            }

            @Override
            public int interestOps() {
                return OP_ACCEPT;
            }

            @Override
            public SelectionKey interestOps(int ops) {
                return this;
            }

            @Override
            public int readyOps() {
                return OP_ACCEPT;
            }
        }

        @Override
        protected SelectionKey register(AbstractSelectableChannel channel, int ops, @Nullable Object attachment) {
            Key key = new Key((Listening) channel);
            try {
                key.channel.port().watch(waiters::wake);
            } catch (IOException closed) {
                throw new IllegalStateException(closed);
            }
            all.add(key);
            return key;
        }

        @Override
        public int select(long millis) {
            WorldScheduler scheduler = MailWorld.present().scheduler();
            long end = millis == 0 ? Long.MAX_VALUE : scheduler.now() + millis * 1_000_000;
            while (true) {
                if (!isOpen()) {
                    throw new ClosedSelectorException();
                }
                int count = selectNow();
                if (count > 0 || woken || scheduler.now() >= end || Thread.currentThread().isInterrupted()) {
                    woken = false;
                    return count;
                }
                waiters.await(end - scheduler.now());
            }
        }

        @Override
        public int select() {
            return select(0);
        }

        @Override
        public int selectNow() {
            all.stream().filter(key -> {
                WorldNetwork.Port port = ((Key) key).channel.port;
                return port != null && port.hasClient();
            }).forEach(selected::add);
            return selected.size();
        }

        @Override
        public Selector wakeup() {
            woken = true;
            waiters.wake();
            return this;
        }

        @Override
        protected void implCloseSelector() {
            wakeup();
        }

        @Override
        public Set<SelectionKey> keys() {
            return all;
        }

        @Override
        public Set<SelectionKey> selectedKeys() {
            return selected;
        }
    }
}
