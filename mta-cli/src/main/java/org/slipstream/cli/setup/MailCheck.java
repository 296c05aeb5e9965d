package org.slipstream.cli.setup;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.config.Config;
import org.slipstream.core.Address;
import org.slipstream.core.text.Ascii;
import org.slipstream.core.text.Controls;
import org.slipstream.guard.dkim.KeyFolder;
import org.slipstream.guard.preflight.MessagePreflight;
import org.slipstream.guard.preflight.MessagePreflight.Preflight;
import org.slipstream.guard.preflight.MessagePreflight.SendingServer;
import org.slipstream.guard.zone.DomainCheck;
import org.slipstream.settings.BoundedFiles;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// `check --mail` and `check --to`: one message, judged as large receivers do, and sent.
///
/// @param addresses from which the server sends; empty: those of its name
/// @param resolvers name servers
record MailCheck(MtaCommand mta, Config config, List<InetAddress> addresses, List<InetSocketAddress> resolvers) {
    private static final int UNIQUE_BYTES = 12;

    /// @param sender of the envelope
    Preflight ofFile(Path file, Optional<String> sender) {
        try {
            return judge(BoundedFiles.bytes(file, MessagePreflight.MOST_OCTETS), sender.map(MailCheck::address));
        } catch (IOException unreadable) {
            throw new CommandFailure(Exit.USAGE, "mta: the message cannot be read: "
                    + Controls.replaced(String.valueOf(unreadable)), unreadable);
        }
    }

    private Preflight judge(byte[] message, Optional<Address> sender) throws IOException {
        var dns = DomainCheck.lookup(resolvers);
        return MessagePreflight.run(dns, message, new SendingServer(addresses.isEmpty()
                ? DomainCheck.addresses(dns, config.hostname())
                : addresses, config.hostname(), sender, KeyFolder.in(mta.home()).signing()), Instant.now());
    }

    /// A message of our own.
    Preflight ofNew(Address sender, Address recipient) {
        byte[] unique = new byte[UNIQUE_BYTES];
        new SecureRandom().nextBytes(unique);
        String text = String.join("\r\n", "From: <" + sender + ">", "To: <" + recipient + ">",
                "Subject: A test of mail from " + sender.domain(),
                "Date: " + DateTimeFormatter.RFC_1123_DATE_TIME.format(Instant.now().atOffset(ZoneOffset.UTC)),
                "Message-ID: <" + HexFormat.of().formatHex(unique) + "@" + config.hostname() + ">",
                "MIME-Version: 1.0", "Content-Type: text/plain; charset=us-ascii", "",
                "This message was sent to see whether mail from " + sender.domain() + " arrives.",
                "The header field Authentication-Results of the receiver has its verdicts.", "");
        try {
            return judge(text.getBytes(StandardCharsets.US_ASCII), Optional.of(sender));
        } catch (IOException unreadable) {
            throw new CommandFailure(Exit.NO, "mta: the keys cannot be read: "
                    + Controls.replaced(String.valueOf(unreadable.getMessage())), unreadable);
        }
    }

    /// Sends it as `mta send` does, which prints the reply with the number of the message.
    int send(Preflight judged, Address sender, Address recipient) {
        try {
            Path file = Files.createTempFile("mta-check", ".eml");
            try {
                Files.write(file, judged.message());
                int exit = mta.run("send", "--from", sender.toString(), "--to", recipient.toString(), "--eml",
                        file.toString());
                mta.world().out()
                        .println("follow it with mta explain ID, and mta trace ID when it has left; the reply of"
                                + " the other server is explained by mta check --reply");
                return exit;
            } finally {
                Files.delete(file);
            }
        } catch (IOException disk) {
            throw new CommandFailure(Exit.NO, "mta: no temporary file: " + disk, disk);
        }
    }

    static Address address(String text) {
        return Address.parse(text).filter(_ -> Ascii.is(text)).orElseThrow(() -> new CommandFailure(Exit.USAGE,
                "mta: \"" + Controls.replaced(text) + "\" is not an address in ASCII"));
    }
}
