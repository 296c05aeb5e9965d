package org.slipstream.bench.load.intake;

import java.io.IOException;

/// The mode of a client: the commands that it sends before it reads replies.
public enum IntakeMode {
    /// As RFC 5321 has it: no command before the reply to the one before.
    IN_TURN("each command awaited") {
        @Override
        void send(Feeder.FeederLine line, int messages) throws IOException {
            for (int i = 0; i < messages; i++) {
                for (String command : ENVELOPE) {
                    line.say(command);
                    line.hear(1);
                }
                line.say(TEXT);
                line.hear(1);
            }
        }
    },
    /// RFC 2920: MAIL, RCPT and DATA together, then the content.
    PIPELINED("PIPELINING") {
        @Override
        void send(Feeder.FeederLine line, int messages) throws IOException {
            for (int i = 0; i < messages; i++) {
                line.say(String.join("", ENVELOPE));
                line.hear(ENVELOPE.length);
                line.say(TEXT);
                line.hear(1);
            }
        }
    },
    /// RFC 3030: whole messages one behind the other, up to eight of them without a reply.
    CHUNKED("PIPELINING and CHUNKING, eight messages ahead") {
        @Override
        void send(Feeder.FeederLine line, int messages) throws IOException {
            String message = ENVELOPE[0] + ENVELOPE[1] + "BDAT " + CONTENT.length() + " LAST\r\n" + CONTENT;
            int sent = 0;
            for (int answered = 0; answered < messages; answered++) {
                while (sent < messages && sent - answered < AHEAD) {
                    line.say(message);
                    sent++;
                }
                line.hear(3);
            }
        }
    };

    private static final int AHEAD = 8;
    private static final String[] ENVELOPE = {"MAIL FROM:<a@client.example>\r\n", "RCPT TO:<b@here.example>\r\n",
            "DATA\r\n"};
    private static final String CONTENT = "From: a@client.example\r\nSubject: intake\r\n\r\n"
            + "x".repeat(76).concat("\r\n").repeat(52);
    private static final String TEXT = CONTENT + ".\r\n";

    final String words;

    IntakeMode(String words) {
        this.words = words;
    }

    abstract void send(Feeder.FeederLine line, int messages) throws IOException;
}
