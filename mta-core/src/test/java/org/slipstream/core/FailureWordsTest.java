package org.slipstream.core;

import org.junit.jupiter.api.Test;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import static org.assertj.core.api.Assertions.assertThat;

/// Operators do not need to know Java.
class FailureWordsTest {
    @Test
    void failuresAreNamedAsTheOperatingSystemNamesThem() {
        Map<Throwable, String> expected = new LinkedHashMap<>();
        expected.put(new PortUnreachableException(), "Connection refused");
        expected.put(new ConnectException("Connection refused"), "Connection refused");
        expected.put(new ConnectException(), "Connection refused");
        expected.put(new ConnectException("Connection timed out"), "Connection timed out");
        expected.put(new SocketTimeoutException("Connect timed out"), "Connection timed out");
        expected.put(new NoRouteToHostException("No route to host (Host unreachable)"), "No route to host");
        expected.put(new SocketException("Network is unreachable"), "Network is unreachable");
        expected.put(new SocketException("Connection reset"), "Connection reset");
        expected.put(new UnknownHostException("mx.example"), "Host or domain name not found");
        expected.put(new UnresolvedAddressException(), "Host or domain name not found");
        expected.put(new AsynchronousCloseException(), "Connection closed");
        expected.put(new EOFException(), "Unexpected end of data");
        expected.put(new TimeoutException(), "Timeout exceeded");
        expected.put(new NoSuchFileException("/a/b"), "/a/b: No such file or directory");
        expected.put(new AccessDeniedException("/a/b"), "/a/b: Permission denied");
        expected.put(new FileSystemException("/a/b", null, "No space left on device"),
                "/a/b: No space left on device");
        expected.put(new FileSystemException(null), "Input/output error");
        expected.put(new IOException("two\r\nlines"), "two lines");
        expected.forEach((failure, words) -> assertThat(FailureWords.of(failure)).as(failure.toString())
                .isEqualTo(words));
    }

    @Test
    void wrappersAndTheNamesOfClassesDisappear() {
        IOException inner = new PortUnreachableException();
        assertThat(FailureWords.of(new UncheckedIOException(inner))).isEqualTo("Connection refused");
        assertThat(FailureWords.of(new ExecutionException(inner))).isEqualTo("Connection refused");
        assertThat(FailureWords.of(new IOException(null, inner))).isEqualTo("Connection refused");
        assertThat(FailureWords.of(new IOException(new SocketException("Broken pipe")))).isEqualTo("Broken pipe");
        assertThat(FailureWords.of(new IllegalStateException())).isEqualTo("illegal state");
        assertThat(FailureWords.of(new IOException("a mailbox with java.lang in its name")))
                .isEqualTo("a mailbox with java.lang in its name");
    }
}
