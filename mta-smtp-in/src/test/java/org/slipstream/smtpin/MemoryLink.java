package org.slipstream.smtpin;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.function.IntUnaryOperator;

import javax.net.ssl.SSLContext;

/// A client that has sent everything already, and whose bytes arrive in pieces of given sizes.
final class MemoryLink implements Link {
    private final byte[] said;
    private final IntUnaryOperator pieceBytes;
    private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
    private final Runnable beforeReply;
    private int at;

    /// @param pieceBytes the size of the piece that begins at a position
    MemoryLink(byte[] said, IntUnaryOperator pieceBytes) {
        this(said, pieceBytes, () -> {});
    }

    /// @param beforeHearing runs before each write to the client
    MemoryLink(byte[] said, IntUnaryOperator pieceBytes, Runnable beforeReply) {
        this.said = said;
        this.pieceBytes = pieceBytes;
        this.beforeReply = beforeReply;
    }

    byte[] heard() {
        return heard.toByteArray();
    }

    @Override
    public int read(byte[] into, int offset, int length, ClientWait wait) {
        if (at == said.length) {
            return -1;
        }
        int count = Math.min(Math.min(length, said.length - at), Math.max(1, pieceBytes.applyAsInt(at)));
        System.arraycopy(said, at, into, offset, count);
        at += count;
        return count;
    }

    @Override
    public int readWithin(byte[] into, int offset, int length, int millis, ClientWait wait) {
        return read(into, offset, length, wait);
    }

    @Override
    public int available() {
        return 0;
    }

    @Override
    public void write(byte[] bytes, int offset, int length, ClientWait wait) {
        beforeReply.run();
        heard.write(bytes, offset, length);
    }

    @Override
    public boolean isInputEnded() {
        return false;
    }

    @Override
    public String startTls(SSLContext context, ClientWait wait) {
        throw new UnsupportedOperationException("no TLS in memory");
    }

    @Override
    public boolean isTls() {
        return false;
    }

    @Override
    public Map<String, byte[]> bindings() {
        return Map.of();
    }

    @Override
    public void endOutput(ClientWait wait) {}

    @Override
    public void awaitAbort(Duration most) {}

    @Override
    public void abort() {}
}
