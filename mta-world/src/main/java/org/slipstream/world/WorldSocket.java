package org.slipstream.world;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOptions;
import java.util.Objects;
import java.util.function.Supplier;

/// A socket of the JDK on the network of the world.
final class WorldSocket extends SocketImpl {
    private final Supplier<WorldNetwork> network;
    private WorldNetwork.@Nullable WorldLink link;
    private WorldNetwork.@Nullable Port listening;
    private InetAddress bound = new InetSocketAddress(0).getAddress();
    private boolean shut;
    private boolean resets;
    private int timeoutMillis;

    WorldSocket(Supplier<WorldNetwork> network) {
        this.network = network;
    }

    static WorldSocket of(WorldNetwork.WorldLink link) {
        WorldSocket socket = new WorldSocket(() -> {
            throw new IllegalStateException("it is connected");
        });
        socket.use(link);
        return socket;
    }

    @Override
    protected void create(boolean stream) {
        // There is nothing to make.
    }

    @Override
    protected void connect(String host, int to) throws IOException {
        connect(new InetSocketAddress(host, to), 0);
    }

    @Override
    protected void connect(InetAddress host, int to) throws IOException {
        connect(new InetSocketAddress(host, to), 0);
    }

    @Override
    protected void connect(SocketAddress where, int millis) throws IOException {
        WorldNetwork.WorldLink connected = network.get().connect(where, millis * 1_000_000L);
        if (shut) {
            connected.reset();
            throw new SocketException("Socket closed");
        }
        use(connected);
    }

    WorldNetwork.WorldLink link() throws SocketException {
        WorldNetwork.WorldLink open = link;
        if (open == null) {
            throw new SocketException(shut ? "Socket closed" : "Socket is not connected");
        }
        return open;
    }

    private void use(WorldNetwork.WorldLink connected) {
        link = connected;
        address = connected.remote().getAddress();
        port = connected.remote().getPort();
        localport = connected.local().getPort();
    }

    @Override
    protected void bind(InetAddress host, int at) {
        bound = host;
        localport = at == 0 ? network.get().freePort() : at;
    }

    @Override
    protected void listen(int backlog) throws IOException {
        listening = network.get().listen(new InetSocketAddress(bound, localport));
    }

    @Override
    protected void accept(SocketImpl client) throws IOException {
        ((WorldSocket) client).use(Objects.requireNonNull(listening).accept(timeoutMillis * 1_000_000L));
    }

    @Override
    protected InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return link().read(into, offset, length, timeoutMillis * 1_000_000L);
            }

            @Override
            public int available() throws IOException {
                return link().available();
            }

            @Override
            public void close() {
                WorldSocket.this.close();
            }
        };
    }

    @Override
    protected OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                write(new byte[]{(byte) octet}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                link().write(bytes, offset, length);
            }

            @Override
            public void close() {
                WorldSocket.this.close();
            }
        };
    }

    @Override
    protected int available() throws IOException {
        return link().available();
    }

    @Override
    protected void close() {
        shut = true;
        WorldNetwork.WorldLink open = link;
        if (open != null) {
            if (resets) {
                open.reset();
            } else {
                open.close();
            }
        }
        WorldNetwork.Port taken = listening;
        if (taken != null) {
            taken.close();
        }
    }

    @Override
    protected void shutdownInput() throws IOException {
        link().shutdownInput();
    }

    @Override
    protected void shutdownOutput() throws IOException {
        link().shutdownOutput();
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        throw new SocketException("no urgent data");
    }

    @Override
    public void setOption(int option, Object value) {
        if (option == SocketOptions.SO_TIMEOUT) {
            timeoutMillis = (Integer) value;
        } else if (option == SocketOptions.SO_LINGER) {
            resets = value.equals(0);
        }
    }

    @Override
    public Object getOption(int option) {
        return switch (option) {
            case SocketOptions.SO_TIMEOUT -> timeoutMillis;
            case SocketOptions.SO_LINGER -> resets ? 0 : -1;
            case SocketOptions.SO_BINDADDR -> link == null ? bound : link.local().getAddress();
            case SocketOptions.TCP_NODELAY, SocketOptions.SO_REUSEADDR, SocketOptions.SO_KEEPALIVE -> true;
            default -> 65_536;
        };
    }

    @Override
    protected <T> void setOption(java.net.SocketOption<T> name, T value) {
        // None has an effect here.
    }
}
