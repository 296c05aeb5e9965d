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

/// Reads the requests of one connection: HTTP/1.1 (RFC 9112) as strictly as it is written down, with bounds.
///
/// Where the RFC allows a server to be lenient (bare LF, folded headers, blanks before a colon) this one refuses: each such form has been read in
/// two ways by two programs before. The API takes no bodies; one that a client sends nevertheless is read up to a bound and dropped.
final class RequestReader {
    static final int LONGEST_HEAD_BYTES = 16 << 10;
    static final int LONGEST_BODY_BYTES = 64 << 10;
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

        /// The answer to a request that makes no sense. Where the next one begins is not known.
        record Malformed(ApiAnswer answer) implements Incoming {}

        /// The client has closed the connection.
        record End() implements Incoming {}
    }

    private static final class MalformedException extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient ApiAnswer answer;

        MalformedException(int status, String sentence) {
            super(sentence);
            answer = ApiAnswer.error(status, sentence);
        }
    }

    private record Header(String name, String value) {}

    /// Waits for the next request.
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

    /// Reads to the end what makes no sense: a socket closed with something unread resets the connection, and the client may
    /// then not see the answer.
    void drain() throws IOException {
        in.transferTo(OutputStream.nullOutputStream());
    }

    /// RFC 9112 section 2.2: an empty line before a request is skipped, since some clients end their bodies with one.
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
            throw new MalformedException(400, "a request begins with method, path and HTTP/1.1");
        }
        if (!words[2].startsWith("HTTP/1.")) {
            throw new MalformedException(505, "this server speaks HTTP/1.1");
        }
        URI target = target(words[1]);
        boolean modern = !words[2].equals("HTTP/1.0");
        List<Header> headers = headers();
        // RFC 9112 section 3.2: no Host, or more than one, is a bad request.
        if (values(headers, "host").size() != 1 && (modern || !values(headers, "host").isEmpty())) {
            throw new MalformedException(400, "a request has one Host header");
        }
        skipBody(headers);
        boolean close = values(headers, "connection").stream().flatMap(value -> List.of(value.split(",")).stream())
                .anyMatch(option -> option.strip().equalsIgnoreCase("close"));
        return new ApiRequest(words[0], target.getPath(), Optional.ofNullable(target.getRawQuery()).orElse(""),
                modern && !close);
    }

    /// RFC 9112 section 3.2: the path alone, as clients write it, or the whole address, as they write it to a proxy.
    private static URI target(String text) throws MalformedException {
        try {
            URI target = new URI(text.startsWith("/") ? "http://localhost" + text : text);
            if ("http".equalsIgnoreCase(target.getScheme()) && target.getPath() != null
                    && target.getRawFragment() == null) {
                return target;
            }
        } catch (URISyntaxException _) {
            // The sentence below says so.
        }
        throw new MalformedException(400, "the path of the request cannot be read");
    }

    private List<Header> headers() throws IOException, MalformedException {
        List<Header> headers = new ArrayList<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon < 0 || !TOKEN.matcher(line.substring(0, colon)).matches()) {
                throw new MalformedException(400, "a header has a name, a colon and a value, on one line");
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
            throw new MalformedException(501, "a request to this API has no body; its parameters stand in the path");
        }
        List<String> lengths = values(headers, "content-length");
        if (lengths.isEmpty()) {
            return;
        }
        if (lengths.size() > 1 || !lengths.getFirst().matches("[0-9]{1,18}")) {
            throw new MalformedException(400, "Content-Length is one number");
        }
        long length = Long.parseLong(lengths.getFirst());
        if (length > LONGEST_BODY_BYTES) {
            throw new MalformedException(413, "a request to this API has no body; its parameters stand in the path");
        }
        in.skipNBytes(length);
    }

    /// Ends with CRLF; a bare CR or LF, like every other control character, makes the request malformed.
    private String line() throws IOException, MalformedException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int octet = octet();
            if (octet == '\r' && octet() == '\n') {
                return line.toString();
            }
            if (octet < ' ' && octet != '\t' || octet == 0x7f) {
                throw new MalformedException(400, "a line ends with CRLF and has no control characters");
            }
            line.append((char) octet);
        }
    }

    private int octet() throws IOException, MalformedException {
        if (++headBytes > LONGEST_HEAD_BYTES) {
            throw new MalformedException(431, "a request is at most " + LONGEST_HEAD_BYTES + " bytes long");
        }
        int octet = in.read();
        if (octet < 0) {
            throw new EOFException("the client has gone in the middle of a request");
        }
        return octet;
    }
}
