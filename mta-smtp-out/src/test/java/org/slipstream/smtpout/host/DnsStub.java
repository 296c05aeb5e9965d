package org.slipstream.smtpout.host;

import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Master;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.RRset;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.SetResponse;
import org.xbill.DNS.Type;
import org.xbill.DNS.Zone;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// A name server for the zone `example.`, on UDP and TCP. Labels give it moods: a name below `servfail.example.` fails,
/// below `silent.example.` is not answered, below `long.example.` is answered over TCP only.
public final class DnsStub implements AutoCloseable {
    private static final int UDP_BYTES = 4096;

    private final DatagramSocket udp;
    private final ServerSocket tcp;
    private final Zone zone;
    private final List<String> questions = Collections.synchronizedList(new ArrayList<>());

    private DnsStub(String records) throws IOException {
        this.zone = zone(records);
        DatagramSocket datagrams = null;
        ServerSocket streams = null;
        for (int attempt = 0; streams == null; attempt++) {
            datagrams = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            try {
                streams = new ServerSocket(datagrams.getLocalPort(), 50, InetAddress.getLoopbackAddress());
            } catch (IOException e) {
                datagrams.close(); // Somebody else has this number on TCP.
                if (attempt == 20) {
                    throw e;
                }
            }
        }
        this.udp = datagrams;
        this.tcp = streams;
        Thread.ofVirtual().start(this::serveDatagrams);
        Thread.ofVirtual().start(this::serveStreams);
    }

    /// @param records lines of a zone file, names relative to `example.`
    public static DnsStub of(String records) {
        try {
            return new DnsStub(records);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    public List<InetSocketAddress> servers() {
        return List.of((InetSocketAddress) udp.getLocalSocketAddress());
    }

    /// What was asked so far, as `name TYPE`.
    public List<String> questions() {
        return List.copyOf(questions);
    }

    @Override
    public void close() {
        udp.close();
        try {
            tcp.close();
        } catch (IOException _) {
            // Closed is closed.
        }
    }

    private static Zone zone(String records) throws IOException {
        Name origin = Name.fromString("example.");
        String text = "@ 60 IN SOA ns hostmaster 1 3600 600 86400 60\n@ 60 IN NS ns\nns 60 IN A 127.0.0.1\n" + records;
        Master master = new Master(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)), origin, 60);
        List<Record> all = new ArrayList<>();
        for (Record next = master.nextRecord(); next != null; next = master.nextRecord()) {
            all.add(next);
        }
        return new Zone(origin, all.toArray(Record[]::new));
    }

    private void serveDatagrams() {
        byte[] buffer = new byte[UDP_BYTES];
        try {
            while (true) {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                udp.receive(packet);
                Message question = new Message(java.util.Arrays.copyOf(packet.getData(), packet.getLength()));
                Optional<Message> answer = answer(question, true);
                if (answer.isPresent()) {
                    byte[] wire = answer.get().toWire(UDP_BYTES);
                    udp.send(new DatagramPacket(wire, wire.length, packet.getSocketAddress()));
                }
            }
        } catch (IOException _) {
            // The test is over.
        }
    }

    private void serveStreams() {
        try {
            while (true) {
                Socket socket = tcp.accept();
                Thread.ofVirtual().start(() -> {
                    try (socket) {
                        DataInputStream in = new DataInputStream(socket.getInputStream());
                        byte[] question = new byte[in.readUnsignedShort()];
                        in.readFully(question);
                        Optional<Message> answer = answer(new Message(question), false);
                        if (answer.isPresent()) {
                            byte[] wire = answer.get().toWire();
                            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                            out.writeShort(wire.length);
                            out.write(wire);
                        }
                    } catch (IOException _) {
                        // The client has enough.
                    }
                });
            }
        } catch (IOException _) {
            // The test is over.
        }
    }

    private Optional<Message> answer(Message asked, boolean datagram) {
        Record question = asked.getQuestion();
        String name = question.getName().toString(true).toLowerCase(java.util.Locale.ROOT);
        questions.add(name + " " + Type.string(question.getType()) + (datagram ? "" : " TCP"));
        Message answer = new Message(asked.getHeader().getID());
        answer.getHeader().setFlag(Flags.QR);
        answer.addRecord(question, Section.QUESTION);
        if (name.endsWith("silent.example")) {
            return Optional.empty();
        }
        if (name.endsWith("servfail.example")) {
            answer.getHeader().setRcode(Rcode.SERVFAIL);
        } else if (name.endsWith("long.example") && datagram) {
            answer.getHeader().setFlag(Flags.TC);
        } else {
            fill(answer, question.getName(), question.getType());
        }
        return Optional.of(answer);
    }

    private void fill(Message answer, Name name, int type) {
        SetResponse found = zone.findRecords(name, type);
        if (found.isNXDOMAIN()) {
            answer.getHeader().setRcode(Rcode.NXDOMAIN);
            answer.addRecord(zone.getSOA(), Section.AUTHORITY);
        } else if (found.isCNAME()) {
            CNAMERecord alias = found.getCNAME();
            answer.addRecord(alias, Section.ANSWER);
            fill(answer, alias.getTarget(), type);
        } else if (found.isSuccessful()) {
            for (RRset set : found.answers()) {
                set.rrs().forEach(r -> answer.addRecord(r, Section.ANSWER));
            }
        } else {
            answer.addRecord(zone.getSOA(), Section.AUTHORITY);
        }
    }
}
