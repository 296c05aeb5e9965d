package org.slipstream.testkit;

import org.slipstream.testkit.DnsMessage.Question;
import org.slipstream.testkit.DnsMessage.Record;
import org.slipstream.testkit.DnsMessage.Type;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// A name server for tests on UDP and TCP that answers from the records that a test gave it, and
/// misbehaves by domain on request.
///
/// A name without records does not exist (NXDOMAIN); a name without records of the type has an
/// empty answer. The wire format is this module's own, so that a server under test and its peer do
/// not share the faults of one DNS library.
public final class StubDns implements AutoCloseable {
    private static final String OTHER_NAME = "other.example";
    private static final int TTL_SECONDS = 1;
    private static final int NEGATIVE_TTL_SECONDS = 60;
    private static final int UDP_OCTETS = 4096;
    private static final int MOST_ALIASES = 8;
    private static final int ATTEMPTS = 20;
    private static final int LONGEST_STRING = 255;

    private final DatagramSocket udp;
    private final ServerSocket tcp;
    private final List<Record> records = new CopyOnWriteArrayList<>();
    private final Map<String, Mood> moods = new ConcurrentHashMap<>();
    private final Map<String, Forged> forgeries = new ConcurrentHashMap<>();
    private final List<String> questions = new CopyOnWriteArrayList<>();

    private enum Mood {
        SERVFAIL, SILENT, TRUNCATED
    }

    /// One port number for both protocols.
    private record Ports(DatagramSocket udp, ServerSocket tcp) {
        static Ports open(int port) throws IOException {
            DatagramSocket udp = new DatagramSocket(port, InetAddress.getLoopbackAddress());
            try {
                return new Ports(udp, new ServerSocket(udp.getLocalPort(), 50, InetAddress.getLoopbackAddress()));
            } catch (IOException inUse) {
                udp.close();
                throw inUse;
            }
        }
    }

    /// The records are there before the first answer: without them a name would not exist.
    private StubDns(Ports ports, String zone) {
        udp = ports.udp();
        tcp = ports.tcp();
        zone.lines().filter(line -> !line.isBlank()).forEach(this::add);
        Thread.ofPlatform().name("stub-dns-udp").daemon().start(this::serveDatagrams);
        Thread.ofPlatform().name("stub-dns-tcp").daemon().start(this::serveStreams);
    }

    /// The number that UDP chose may be in use on TCP.
    private static Ports ports() {
        for (int attempt = 1;; attempt++) {
            try {
                return Ports.open(0);
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    /// A name server without records.
    public static StubDns start() {
        return of("");
    }

    /// The same as [#of] at this port of loopback.
    public static StubDns at(int port, String zone) {
        try {
            return new StubDns(Ports.open(port), zone);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A name server with the records of a zone.
    ///
    /// @param zone lines as `name [ttl] IN type data`, with names relative to `example.`; types are
    ///     A, AAAA, CNAME, MX, PTR, SRV, TLSA and TXT
    public static StubDns of(String zone) {
        return new StubDns(ports(), zone);
    }

    private void add(String line) {
        String[] words = line.strip().split("\\s+");
        int in = Arrays.asList(words).indexOf("IN");
        int ttl = in == 2 ? Integer.parseInt(words[1]) : NEGATIVE_TTL_SECONDS;
        Type type = Type.valueOf(words[in + 1]);
        byte[] data = switch (type) {
            case A, AAAA -> InetAddress.ofLiteral(words[in + 2]).getAddress();
            case CNAME, PTR -> DnsMessage.name(absolute(words[in + 2]));
            case MX -> exchange(Integer.parseInt(words[in + 2]), absolute(words[in + 3]));
            case TXT -> text(line.substring(line.indexOf('"') + 1, line.lastIndexOf('"')).replace("\" \"", ""));
            case SRV -> service(Arrays.asList(words).subList(in + 2, words.length));
            case TLSA -> association(Arrays.asList(words).subList(in + 2, words.length));
            case SOA -> throw new IllegalArgumentException("the server has an SOA of its own: " + line);
        };
        records.add(new Record(absolute(words[0]), type, ttl, data));
    }

    private static String absolute(String name) {
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name + ".example";
    }

    private static byte[] exchange(int preference, String host) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        DnsMessage.number(data, preference);
        data.writeBytes(DnsMessage.name(host));
        return data.toByteArray();
    }

    /// Strings of at most 255 octets (RFC 1035 section 3.3.14).
    private static byte[] text(String text) {
        byte[] octets = text.getBytes(StandardCharsets.ISO_8859_1);
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        for (int at = 0; at == 0 || at < octets.length; at += LONGEST_STRING) {
            int length = Math.min(LONGEST_STRING, octets.length - at);
            data.write(length);
            data.write(octets, at, length);
        }
        return data.toByteArray();
    }

    /// `0 1 465 mail.example.`
    private static byte[] service(List<String> words) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        words.subList(0, 3).forEach(number -> DnsMessage.number(data, Integer.parseInt(number)));
        data.writeBytes(DnsMessage.name(absolute(words.get(3))));
        return data.toByteArray();
    }

    /// `3 1 1 0123…`
    private static byte[] association(List<String> words) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        words.subList(0, 3).forEach(number -> data.write(Integer.parseInt(number)));
        data.writeBytes(HexFormat.of().parseHex(words.get(3)));
        return data.toByteArray();
    }

    /// Adds a mail exchanger.
    ///
    /// @param domain an absolute name, with or without the dot at the end
    /// @param host `.` for a domain that accepts no mail (RFC 7505)
    public StubDns mx(String domain, int preference, String host) {
        return know(domain, Type.MX, exchange(preference, withoutDot(host)));
    }

    /// Adds an address of either family.
    public StubDns address(String host, InetAddress address) {
        byte[] octets = address.getAddress();
        return know(host, octets.length == 4 ? Type.A : Type.AAAA, octets);
    }

    /// Adds an alias (CNAME).
    public StubDns alias(String name, String target) {
        return know(name, Type.CNAME, DnsMessage.name(withoutDot(target)));
    }

    /// Adds a text record.
    public StubDns txt(String name, String text) {
        return know(name, Type.TXT, text(text));
    }

    private StubDns know(String name, Type type, byte[] data) {
        records.add(new Record(withoutDot(name), type, TTL_SECONDS, data));
        return this;
    }

    private static String withoutDot(String name) {
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }

    /// Answers questions about this domain and the names below with SERVFAIL.
    public StubDns fails(String domain) {
        return mood(domain, Mood.SERVFAIL);
    }

    /// Does not answer questions about this domain and the names below.
    public StubDns isSilentAbout(String domain) {
        return mood(domain, Mood.SILENT);
    }

    /// Truncates answers over UDP about this domain and the names below.
    public StubDns truncates(String domain) {
        return mood(domain, Mood.TRUNCATED);
    }

    /// Answers questions about this domain and the names below as an attacker off the path does, whose
    /// records name this host.
    public StubDns forges(String domain, Forgery how, String host) {
        forgeries.put(domain, new Forged(how, host));
        return this;
    }

    /// The mistake in a forged answer.
    public enum Forgery {
        /// The number of the question was guessed wrong.
        ANOTHER_ID,
        /// The answer repeats a question about another name.
        ANOTHER_QUESTION,
        /// The records are about another name than the question.
        ANOTHER_OWNER
    }

    private record Forged(Forgery how, String host) {
        byte[] answer(Question question) {
            return switch (how) {
                case ANOTHER_ID -> answer(question.withId(question.id() ^ 1), question.name());
                case ANOTHER_QUESTION -> answer(question.about(OTHER_NAME), OTHER_NAME);
                case ANOTHER_OWNER -> answer(question, OTHER_NAME);
            };
        }

        private byte[] answer(Question question, String owner) {
            return DnsMessage.reply(question, DnsMessage.NO_ERROR,
                    List.of(new Record(owner, Type.MX, TTL_SECONDS, exchange(0, host))), List.of());
        }
    }

    private StubDns mood(String domain, Mood mood) {
        moods.put(domain, mood);
        return this;
    }

    /// Answers as usual about this domain again.
    public void recovers(String domain) {
        moods.remove(domain);
        forgeries.remove(domain);
    }

    /// Host and port as `127.0.0.1:5353`.
    public String address() {
        return "127.0.0.1:" + udp.getLocalPort();
    }

    /// The one server as a list, as resolvers take it.
    public List<InetSocketAddress> servers() {
        return List.of((InetSocketAddress) udp.getLocalSocketAddress());
    }

    /// The questions so far, as `name TYPE` or `name TYPE TCP`, names in lower case.
    public List<String> questions() {
        return List.copyOf(questions);
    }

    @Override
    public void close() {
        udp.close();
        try {
            tcp.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serveDatagrams() {
        byte[] buffer = new byte[UDP_OCTETS];
        while (!udp.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                udp.receive(packet);
                Optional<byte[]> answer = answer(Arrays.copyOf(buffer, packet.getLength()), true);
                if (answer.isPresent()) {
                    udp.send(new DatagramPacket(answer.get(), answer.get().length, packet.getSocketAddress()));
                }
            } catch (IOException | RuntimeException _) {
                // Closed, or a packet that is no question.
            }
        }
    }

    private void serveStreams() {
        try {
            while (true) {
                Socket socket = tcp.accept();
                Thread.ofPlatform().daemon().start(() -> serve(socket));
            }
        } catch (IOException _) {
            // Closed.
        }
    }

    private void serve(Socket client) {
        try (client) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            byte[] question = new byte[in.readUnsignedShort()];
            in.readFully(question);
            Optional<byte[]> answer = answer(question, false);
            if (answer.isPresent()) {
                DataOutputStream out = new DataOutputStream(client.getOutputStream());
                out.writeShort(answer.get().length);
                out.write(answer.get());
            }
        } catch (IOException | RuntimeException _) {
            // The client is gone, or sent no question.
        }
    }

    private Optional<byte[]> answer(byte[] message, boolean datagram) {
        Question question = Question.parse(message);
        questions.add(question.key() + " " + question.typeName() + (datagram ? "" : " TCP"));
        Optional<Forged> forged = of(question.key(), forgeries);
        if (forged.isPresent()) {
            return Optional.of(forged.get().answer(question));
        }
        Optional<Mood> mood = of(question.key(), moods);
        if (mood.isEmpty()) {
            return Optional.of(answer(question));
        }
        return switch (mood.get()) {
            case SILENT -> Optional.empty();
            case SERVFAIL -> Optional.of(DnsMessage.reply(question, DnsMessage.SERVFAIL, List.of(), List.of()));
            case TRUNCATED -> Optional.of(datagram ? DnsMessage.truncated(question) : answer(question));
        };
    }

    private static <T> Optional<T> of(String name, Map<String, T> byDomain) {
        return byDomain.entrySet().stream()
                .filter(each -> name.equals(each.getKey()) || name.endsWith("." + each.getKey()))
                .map(Map.Entry::getValue).findFirst();
    }

    private byte[] answer(Question question) {
        List<Record> answers = new ArrayList<>();
        String name = question.key();
        for (int hops = 0; hops < MOST_ALIASES; hops++) {
            List<Record> found = find(name, question.type());
            Optional<Record> alias = find(name, Type.CNAME.code).stream().findFirst();
            if (!found.isEmpty() || alias.isEmpty()) {
                answers.addAll(found);
                break;
            }
            answers.add(alias.get());
            name = target(alias.get());
        }
        return DnsMessage.reply(question, exists(name) ? DnsMessage.NO_ERROR : DnsMessage.NXDOMAIN, answers,
                answers.isEmpty() || !exists(name) ? List.of(authority(question.name())) : List.of());
    }

    private List<Record> find(String name, int type) {
        return records.stream().filter(record -> record.type().code == type && record.key().equals(name)).toList();
    }

    private boolean exists(String name) {
        return records.stream().anyMatch(record -> record.key().equals(name) || record.key().endsWith("." + name));
    }

    private static String target(Record alias) {
        return Question.parse(withHeader(alias.data())).key();
    }

    // A name as data is read as the name of a question.
    private static byte[] withHeader(byte[] name) {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.writeBytes(new byte[12]);
        message.writeBytes(name);
        DnsMessage.number(message, 0);
        return message.toByteArray();
    }

    /// The SOA that makes a negative answer cacheable (RFC 2308); its owner is the top-level domain
    /// of the question.
    private static Record authority(String name) {
        String zone = name.substring(name.lastIndexOf('.') + 1);
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        data.writeBytes(DnsMessage.name("ns." + zone));
        data.writeBytes(DnsMessage.name("hostmaster." + zone));
        for (int seconds : new int[]{1, 3600, 600, 86_400, NEGATIVE_TTL_SECONDS}) {
            DnsMessage.number(data, seconds >>> 16);
            DnsMessage.number(data, seconds);
        }
        return new Record(zone.toLowerCase(Locale.ROOT), Type.SOA, NEGATIVE_TTL_SECONDS, data.toByteArray());
    }
}
