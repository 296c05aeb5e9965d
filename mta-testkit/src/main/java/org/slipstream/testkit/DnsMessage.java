package org.slipstream.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/// The wire format of DNS (RFC 1035 section 4) as far as a stub server needs it: one question in,
/// records without compression out.
final class DnsMessage {
    static final int NO_ERROR = 0;
    static final int SERVFAIL = 2;
    static final int NXDOMAIN = 3;
    private static final int HEADER = 12;
    private static final int INTERNET = 1;
    /// Response, authoritative, recursion available.
    private static final int RESPONSE = 0x8480;
    private static final int TRUNCATED = 0x0200;

    private DnsMessage() {}

    /// The types of records that a zone can have.
    enum Type {
        A(1), CNAME(5), SOA(6), PTR(12), MX(15), TXT(16), AAAA(28), SRV(33), TLSA(52);

        final int code;

        Type(int code) {
            this.code = code;
        }
    }

    /// @param name in the case of the client, without the dot at the end
    /// @param type the code of the type, which a zone need not know
    record Question(int id, boolean recursion, String name, int type) {
        static Question parse(byte[] message) {
            ByteBuffer buffer = ByteBuffer.wrap(message);
            int id = buffer.getShort() & 0xffff;
            boolean recursion = (buffer.getShort() & 0x0100) != 0;
            buffer.position(HEADER);
            StringBuilder name = new StringBuilder();
            for (int length = buffer.get(); length > 0; length = buffer.get()) {
                byte[] label = new byte[length];
                buffer.get(label);
                name.append(name.isEmpty() ? "" : ".").append(new String(label, StandardCharsets.ISO_8859_1));
            }
            return new Question(id, recursion, name.toString(), buffer.getShort() & 0xffff);
        }

        Question withId(int other) {
            return new Question(other, recursion, name, type);
        }

        Question about(String otherName) {
            return new Question(id, recursion, otherName, type);
        }

        String typeName() {
            for (Type each : Type.values()) {
                if (each.code == type) {
                    return each.name();
                }
            }
            return "TYPE" + type;
        }

        String key() {
            return name.toLowerCase(Locale.ROOT);
        }
    }

    /// @param data the RDATA
    record Record(String name, Type type, int ttlSeconds, byte[] data) {
        String key() {
            return name.toLowerCase(Locale.ROOT);
        }
    }

    static byte[] reply(Question question, int code, List<Record> answers, List<Record> authority) {
        return write(question, RESPONSE | code, answers, authority);
    }

    /// An empty answer that asks the client to repeat the question over TCP.
    static byte[] truncated(Question question) {
        return write(question, RESPONSE | TRUNCATED, List.of(), List.of());
    }

    private static byte[] write(Question question, int flags, List<Record> answers, List<Record> authority) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        number(out, question.id());
        number(out, question.recursion() ? flags | 0x0100 : flags);
        number(out, 1);
        number(out, answers.size());
        number(out, authority.size());
        number(out, 0);
        out.writeBytes(name(question.name()));
        number(out, question.type());
        number(out, INTERNET);
        for (List<Record> section : List.of(answers, authority)) {
            for (Record record : section) {
                out.writeBytes(name(record.name()));
                number(out, record.type().code);
                number(out, INTERNET);
                number(out, record.ttlSeconds() >>> 16);
                number(out, record.ttlSeconds());
                number(out, record.data().length);
                out.writeBytes(record.data());
            }
        }
        return out.toByteArray();
    }

    static void number(ByteArrayOutputStream out, int value) {
        out.write(value >>> 8);
        out.write(value);
    }

    /// A domain name; empty text is the root.
    static byte[] name(String name) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (!name.isEmpty()) {
            for (String label : name.split("\\.")) {
                byte[] octets = label.getBytes(StandardCharsets.ISO_8859_1);
                out.write(octets.length);
                out.writeBytes(octets);
            }
        }
        out.write(0);
        return out.toByteArray();
    }
}
