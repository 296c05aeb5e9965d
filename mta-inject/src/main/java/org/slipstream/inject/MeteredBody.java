package org.slipstream.inject;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serial;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// The body of a request, with bounds: in octets ([#limit]), in pace, and in the memory that all requests share. It
/// computes the hash of what was read.
final class MeteredBody extends InputStream {
    /// An octet is in memory as text, decoded, and composed.
    private static final int COPIES = 3;
    private static final int UNIT = 64 << 10;
    /// As for SMTP: 500 octets a second, after a minute.
    private static final long CREDIT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long NANOS_PER_OCTET = TimeUnit.SECONDS.toNanos(1) / 500;

    private final InputStream in;
    private final Semaphore memory;
    private final MessageDigest digest = RequestKeys.sha256();
    private final LongSupplier nanos;
    private final byte[] one = new byte[1];
    private long limit;
    private boolean counted;
    private long read;
    private int taken;
    private long all;
    private long waitedNanos;

    /// The fault of a body, on its way through readers that know nothing of it.
    static final class BodyFault extends IOException {
        @Serial
        private static final long serialVersionUID = 1;
        private final transient InjectionFault fault;

        BodyFault(InjectionFault fault) {
            super(fault.detail());
            this.fault = fault;
        }

        InjectionFault fault() {
            return fault;
        }
    }

    /// @param memory in units of 64 KiB
    MeteredBody(InputStream in, Semaphore memory) {
        this(in, memory, System::nanoTime);
    }

    MeteredBody(InputStream in, Semaphore memory, LongSupplier nanos) {
        this.in = in;
        this.memory = memory;
        this.nanos = nanos;
    }

    static Semaphore memory(long bytes) {
        return new Semaphore(Math.clamp(bytes / UNIT, 1, Integer.MAX_VALUE));
    }

    /// Memory for the largest body.
    static long memoryOf(long bodyBytes) {
        return COPIES * bodyBytes + 2L * COPIES * UNIT;
    }

    /// At most so many more octets, which are kept in memory.
    void limit(long octets) {
        limit = octets;
        counted = true;
        read = 0;
    }

    /// The rest is not kept in memory.
    void unlimited() {
        counted = false;
    }

    /// The hash of what was read, and of the query that belongs to it.
    String hashSoFar(String query) {
        digest.update(query.getBytes(StandardCharsets.UTF_8));
        return RequestKeys.hashSoFar(digest);
    }

    @Override
    public int read() throws IOException {
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] octets, int from, int length) throws IOException {
        long before = nanos.getAsLong();
        int got = in.read(octets, from, length);
        waitedNanos += nanos.getAsLong() - before;
        if (got > 0) {
            all += got;
            requirePace();
            digest.update(octets, from, got);
            if (counted) {
                count(got);
            }
        }
        return got;
    }

    /// The time in which this server works is not counted.
    private void requirePace() throws BodyFault {
        if (waitedNanos > CREDIT_NANOS + all * NANOS_PER_OCTET) {
            throw new BodyFault(InjectionFault.of(408, "the body comes too slowly"));
        }
    }

    private void count(int octets) throws IOException {
        read += octets;
        if (read > limit) {
            throw new BodyFault(InjectionFault.of(413, "the body has more than " + limit + " octets"));
        }
        int wanted = (int) (COPIES * read / UNIT) + 1;
        if (wanted > taken) {
            if (!memory.tryAcquire(wanted - taken)) {
                throw new BodyFault(
                        InjectionFault.of(503, "other requests use the memory for messages; try again later"));
            }
            taken = wanted;
        }
    }

    /// Gives the memory back. The connection belongs to the caller.
    @Override
    public void close() {
        memory.release(taken);
        taken = 0;
    }
}
