package org.slipstream.admin;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// A strict, bounded parser for the HTTP/1.1 requests of one connection (RFC 9112).
///
/// Where the RFC permits leniency (bare LF, folded headers, blanks before a colon) this parser
/// refuses: two programs that interpret such a form differently enable request smuggling. The API
/// uses no request bodies; a body is read up to a bound and discarded.
final class RequestReader {
    static final int LONGEST_HEAD_BYTES = 16 << 10;
    static final int LONGEST_BODY_BYTES = 64 << 10;
    private static final String BEARER = "Bearer ";
    private static final int MOST_HEADERS = 64;
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern VERSION = Pattern.compile("HTTP/[0-9]\\.[0-9]");

    private final InputStream in;
    private int headBytes;

    RequestReader(InputStream in) {
        this.in = new BufferedInputStream(in);
    }

    sealed interface Incoming {
        record Complete(ApiRequest request) implements Incoming {}

        /// The response to a malformed request. The start of the next request is unknown.
        record Malformed(ApiResponse answer) implements Incoming {}

        /// The client has closed the connection.
        record End() implements Incoming {}
    }

    private static final class MalformedException extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient ApiResponse answer;

        MalformedException(int status, String sentence) {
            super(sentence);
            answer = ApiResponse.error(status, sentence);
        }
    }

    private record Header(String name, String value) {}

    /// Reads the next request; blocks until it is complete.
    Incoming next() throws IOException {
        headBytes = 0;
        try {
            Optional<String> first = firstLine();
            if (first.isEmpty()) {
                return new Incoming.End();
            }
            return new Incoming.Complete(request(first.get()));
        } catch (MalformedException malformed) {
            return new Incoming.Malformed(malformed.answer);
        }
    }

    /// Discards the rest of the input. Closing a socket with unread input resets the connection,
    /// and the client may then not receive the response.
    void drain() throws IOException {
        in.transferTo(OutputStream.nullOutputStream());
    }

    /// RFC 9112 section 2.2: an empty line before a request is skipped, since some clients end
    /// their bodies with one.
    private Optional<String> firstLine() throws IOException, MalformedException {
        in.mark(1);
        if (in.read() < 0) {
            return Optional.empty();
        }
        in.reset();
        String line = line();
        return Optional.of(line.isEmpty() ? line() : line);
    }

    private ApiRequest request(String startLine) throws IOException, MalformedException {
        String[] words = startLine.split(" ", -1);
        if (words.length != 3 || !TOKEN.matcher(words[0]).matches() || !VERSION.matcher(words[2]).matches()) {
            throw new MalformedException(400, "malformed request line");
        }
        if (!words[2].startsWith("HTTP/1.")) {
            throw new MalformedException(505, "HTTP version not supported; use HTTP/1.1");
        }
        URI target = target(words[1]);
        boolean modern = !words[2].equals("HTTP/1.0");
        List<Header> headers = headers();
        // RFC 9112 section 3.2: no Host, or more than one, is a bad request.
        if (values(headers, "host").size() != 1 && (modern || !values(headers, "host").isEmpty())) {
            throw new MalformedException(400, "exactly one Host header required");
        }
        skipBody(headers);
        boolean close = values(headers, "connection").stream().flatMap(value -> List.of(value.split(",")).stream())
                .anyMatch(option -> option.strip().equalsIgnoreCase("close"));
        return new ApiRequest(words[0], target.getPath(), Optional.ofNullable(target.getRawQuery()).orElse(""),
                token(headers), modern && !close);
    }

    /// Empty without the header. Another scheme than `Bearer` gives a text that is no token.
    private static Optional<String> token(List<Header> headers) throws MalformedException {
        List<String> values = values(headers, "authorization");
        if (values.size() > 1) {
            throw new MalformedException(400, "more than one Authorization header");
        }
        return values.stream().findFirst()
                .map(value -> value.regionMatches(true, 0, BEARER, 0, BEARER.length())
                        ? value.substring(BEARER.length()).strip()
                        : "");
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

    private List<Header> headers() throws IOException, MalformedException {
        List<Header> headers = new ArrayList<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon < 0 || !TOKEN.matcher(line.substring(0, colon)).matches()) {
                throw new MalformedException(400, "malformed header");
            }
            if (headers.size() == MOST_HEADERS) {
                throw new MalformedException(431, "more than " + MOST_HEADERS + " headers");
            }
            headers.add(
                    new Header(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip()));
        }
        return headers;
    }

    private static List<String> values(List<Header> headers, String name) {
        return headers.stream().filter(header -> header.name().equals(name)).map(Header::value).toList();
    }

    private void skipBody(List<Header> headers) throws IOException, MalformedException {
        if (!values(headers, "transfer-encoding").isEmpty()) {
            throw new MalformedException(501, "request bodies are not supported; use parameters of the query");
        }
        List<String> lengths = values(headers, "content-length");
        if (lengths.isEmpty()) {
            return;
        }
        if (lengths.size() > 1 || !lengths.getFirst().matches("[0-9]{1,18}")) {
            throw new MalformedException(400, "malformed Content-Length");
        }
        long length = Long.parseLong(lengths.getFirst());
        if (length > LONGEST_BODY_BYTES) {
            throw new MalformedException(413, "request bodies are not supported; use parameters of the query");
        }
        in.skipNBytes(length);
    }

    /// Reads a line that ends with CRLF; a bare CR or LF, like every other control character, makes
    /// the request malformed.
    private String line() throws IOException, MalformedException {
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

    private int octet() throws IOException, MalformedException {
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
