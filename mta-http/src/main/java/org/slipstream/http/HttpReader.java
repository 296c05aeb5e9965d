package org.slipstream.http;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// A strict, bounded parser for the HTTP/1.1 requests of one connection (RFC 9112).
///
/// Where the RFC permits leniency (bare LF, folded headers, blanks before a colon) this parser
/// refuses: two programs that interpret such a form differently enable request smuggling.
public final class HttpReader {
    /// Also of the trailers of a body, and of each line between two chunks.
    public static final int LONGEST_HEAD_BYTES = 16 << 10;
    private static final int MOST_HEADERS = 64;
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern VERSION = Pattern.compile("HTTP/[0-9]\\.[0-9]");
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

    private final InputStream in;
    private int headBytes;

    public HttpReader(InputStream in) {
        this.in = new BufferedInputStream(in);
    }

    /// The request is malformed, so the start of the next one is unknown.
    public static final class MalformedException extends IOException {
        private static final long serialVersionUID = 1L;
        private final int status;

        public MalformedException(int status, String sentence) {
            super(sentence);
            this.status = status;
        }

        public int status() {
            return status;
        }

        public String sentence() {
            return Objects.requireNonNullElse(getMessage(), "malformed request");
        }
    }

    /// Reads the head of the next request; blocks until it is complete. The body of the last one must
    /// have ended.
    ///
    /// @return empty when the client has closed the connection
    public Optional<HttpRequest> next() throws IOException {
        headBytes = 0;
        Optional<String> first = firstLine();
        return first.isEmpty() ? Optional.empty() : Optional.of(request(first.get()));
    }

    /// Discards the rest of the input. Closing a socket with unread input resets the connection,
    /// and the client may then not receive the response.
    public void drain() throws IOException {
        in.transferTo(OutputStream.nullOutputStream());
    }

    /// RFC 9112 section 2.2: an empty line before a request is skipped, since some clients end
    /// their bodies with one.
    private Optional<String> firstLine() throws IOException {
        in.mark(1);
        if (in.read() < 0) {
            return Optional.empty();
        }
        in.reset();
        String line = line();
        return Optional.of(line.isEmpty() ? line() : line);
    }

    private HttpRequest request(String startLine) throws IOException {
        String[] words = startLine.split(" ", -1);
        if (words.length != 3 || !TOKEN.matcher(words[0]).matches() || !VERSION.matcher(words[2]).matches()) {
            throw new MalformedException(400, "malformed request line");
        }
        if (!words[2].startsWith("HTTP/1.")) {
            throw new MalformedException(505, "HTTP version not supported; use HTTP/1.1");
        }
        URI target = target(words[1]);
        boolean modern = !words[2].equals("HTTP/1.0");
        Map<String, List<String>> headers = headers();
        // RFC 9112 section 3.2: no Host, or more than one, is a bad request.
        int hosts = headers.getOrDefault("host", List.of()).size();
        if (hosts > 1 || hosts == 0 && modern) {
            throw new MalformedException(400, "exactly one Host header required");
        }
        if (headers.getOrDefault("authorization", List.of()).size() > 1) {
            throw new MalformedException(400, "more than one Authorization header");
        }
        boolean close = headers.getOrDefault("connection", List.of()).stream()
                .flatMap(value -> List.of(value.split(",")).stream())
                .anyMatch(option -> option.strip().equalsIgnoreCase("close"));
        return new HttpRequest(words[0], target.getPath(), Optional.ofNullable(target.getRawQuery()).orElse(""),
                headers, modern && !close, body(headers, modern), "");
    }

    /// RFC 9112 section 3.2: origin-form, as clients send it, or absolute-form, as clients send it
    /// to a proxy.
    private static URI target(String text) throws MalformedException {
        try {
            URI target = new URI(text.startsWith("/") ? "http://localhost" + text : text);
            if ("http".equalsIgnoreCase(target.getScheme()) && target.getPath() != null
                    && target.getRawFragment() == null) {
                return target;
            }
        } catch (URISyntaxException _) {
            // Reported below.
        }
        throw new MalformedException(400, "malformed request target");
    }

    private Map<String, List<String>> headers() throws IOException {
        Map<String, List<String>> headers = new TreeMap<>();
        int count = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon < 0 || !TOKEN.matcher(line.substring(0, colon)).matches()) {
                throw new MalformedException(400, "malformed header");
            }
            if (count++ == MOST_HEADERS) {
                throw new MalformedException(431, "more than " + MOST_HEADERS + " headers");
            }
            headers.computeIfAbsent(line.substring(0, colon).toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
                    .add(line.substring(colon + 1).strip());
        }
        return Collections.unmodifiableMap(headers);
    }

    /// RFC 9112 section 6.3. A request with both a length and chunks is the usual form of request
    /// smuggling.
    private HttpBody body(Map<String, List<String>> headers, boolean modern) throws MalformedException {
        List<String> codings = headers.getOrDefault("transfer-encoding", List.of());
        List<String> lengths = headers.getOrDefault("content-length", List.of());
        if (!codings.isEmpty()) {
            if (!lengths.isEmpty() || !modern) {
                throw new MalformedException(400, "Transfer-Encoding with Content-Length, or in HTTP/1.0");
            }
            if (codings.size() > 1 || !codings.getFirst().equalsIgnoreCase("chunked")) {
                throw new MalformedException(501, "of the transfer codings only chunked is supported");
            }
            return new HttpBody(this, in, OptionalLong.empty());
        }
        if (lengths.isEmpty()) {
            return new HttpBody(this, in, OptionalLong.of(0));
        }
        if (lengths.size() > 1 || !LENGTH.matcher(lengths.getFirst()).matches()) {
            throw new MalformedException(400, "malformed Content-Length");
        }
        return new HttpBody(this, in, OptionalLong.of(Long.parseLong(lengths.getFirst())));
    }

    /// The line with the size of a chunk.
    String bodyLine() throws IOException {
        headBytes = 0;
        return line();
    }

    /// The end of a chunk.
    void emptyLine() throws IOException {
        if (!bodyLine().isEmpty()) {
            throw new MalformedException(400, "a chunk is longer than its size");
        }
    }

    void trailers() throws IOException {
        headBytes = 0;
        headers();
    }

    /// Reads a line that ends with CRLF; a bare CR or LF, like every other control character, makes
    /// the request malformed.
    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int octet = octet();
            if (octet == '\r' && octet() == '\n') {
                return line.toString();
            }
            if (octet < ' ' && octet != '\t' || octet == 0x7f) {
                throw new MalformedException(400, "malformed line: CRLF required, control characters not allowed");
            }
            line.append((char) octet);
        }
    }

    private int octet() throws IOException {
        if (++headBytes > LONGEST_HEAD_BYTES) {
            throw new MalformedException(431, "request header longer than " + LONGEST_HEAD_BYTES + " bytes");
        }
        int octet = in.read();
        if (octet < 0) {
            throw new EOFException("connection closed within a request");
        }
        return octet;
    }
}
