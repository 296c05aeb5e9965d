package org.slipstream.core;

import java.util.Optional;

/// A number of bytes. A component of this type cannot be mistaken for a count or for a time.
///
/// @param bytes not negative
public record DataSize(long bytes) implements Comparable<DataSize> {
    public static final DataSize ZERO = new DataSize(0);

    public DataSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("a size is not negative: " + bytes);
        }
    }

    public static DataSize of(long bytes) {
        return new DataSize(bytes);
    }

    public static DataSize ofKibibytes(long kibibytes) {
        return new DataSize(Math.multiplyExact(kibibytes, 1L << 10));
    }

    public static DataSize ofMebibytes(long mebibytes) {
        return new DataSize(Math.multiplyExact(mebibytes, 1L << 20));
    }

    /// Reads `128KiB`, `64MB` or `1000`. Empty for any other text.
    public static Optional<DataSize> parse(String text) {
        return Units.SIZES.parse(text).map(DataSize::new);
    }

    /// For buffers and other things that Java counts with an `int`. Throws when the size does not
    /// fit.
    public int toInt() {
        return Math.toIntExact(bytes);
    }

    @Override
    public int compareTo(DataSize other) {
        return Long.compare(bytes, other.bytes);
    }

    /// `25MiB`.
    @Override
    public String toString() {
        return Units.SIZES.write(bytes);
    }
}
