package org.slipstream.cli.sendmail;

import org.slipstream.core.Address;
import org.slipstream.core.FailureWords;
import org.slipstream.local.maildrop.DropEnvelope;
import org.slipstream.local.maildrop.DropFileWriter;
import org.slipstream.local.maildrop.MaildropFolder;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;

/// Takes the message on standard input into the maildrop.
public final class MessageSubmission {
    /// Stands for the default domain, which only the server knows.
    private static final String SOME_DOMAIN = "@localhost";

    private final MaildropFolder maildrop;
    private final CallingUser user;

    public MessageSubmission(MaildropFolder maildrop, CallingUser user) {
        this.maildrop = maildrop;
        this.user = user;
    }

    /// Returns when the message is on disk.
    public void submit(SendmailCall call, InputStream in) throws SendmailException {
        SubmittedText text = new SubmittedText(in, call.dotEnds());
        SubmittedHeader header = header(text);
        try (DropFileWriter file = maildrop.write(envelope(call, header))) {
            header.writeTo(file);
            copy(text, file);
            file.finish();
        } catch (NoSuchFileException none) {
            throw new SendmailException(SysExit.TEMPORARY_FAILURE, "there is no maildrop " + maildrop.path()
                    + ": the server makes it at its first start", none);
        } catch (AccessDeniedException denied) {
            throw new SendmailException(SysExit.NO_PERMISSION, "the maildrop " + maildrop.path()
                    + " cannot be written: permission denied (its folders must be passable for every user)", denied);
        } catch (IOException trouble) {
            throw new SendmailException(SysExit.TEMPORARY_FAILURE, "the message is not queued: "
                    + FailureWords.of(trouble), trouble);
        }
    }

    private static SubmittedHeader header(SubmittedText text) throws SendmailException {
        try {
            return SubmittedHeader.read(text);
        } catch (IOException unreadable) {
            throw noInput(unreadable);
        }
    }

    private static void copy(SubmittedText text, DropFileWriter file) throws IOException, SendmailException {
        byte[] block = new byte[64 * 1024];
        for (int length = read(text, block); length >= 0; length = read(text, block)) {
            file.write(block, 0, length);
        }
    }

    private static int read(SubmittedText text, byte[] block) throws SendmailException {
        try {
            return text.read(block);
        } catch (IOException unreadable) {
            throw noInput(unreadable);
        }
    }

    private static SendmailException noInput(IOException unreadable) {
        return new SendmailException(SysExit.NO_INPUT, "the message cannot be read from standard input: "
                + FailureWords.of(unreadable), unreadable);
    }

    private DropEnvelope envelope(SendmailCall call, SubmittedHeader header) throws SendmailException {
        String sender = call.sender().orElse(user.login());
        if (!sender.isEmpty()) {
            sender = only(SubmittedHeader.addresses(sender), sender);
        }
        List<String> recipients = new ArrayList<>();
        for (String argument : call.recipients()) {
            recipients.addAll(SubmittedHeader.addresses(argument));
        }
        if (call.recipientsInHeader()) {
            recipients.addAll(header.recipients());
        }
        if (recipients.isEmpty()) {
            throw new SendmailException(SysExit.USAGE, "no recipient addresses found in the message header");
        }
        for (String recipient : recipients) {
            require(recipient);
        }
        String fullName = call.fullName().orElse(user.fullName());
        requireNoControls(fullName);
        requireNoControls(call.envelopeId().orElse(""));
        return new DropEnvelope(sender, fullName, recipients, call.notifyOn(), call.returns(), call.envelopeId(),
                call.body());
    }

    /// The server would set the file aside, and the program would not learn it.
    private static void requireNoControls(String text) throws SendmailException {
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new SendmailException(SysExit.DATA_ERROR, "a control character in the envelope");
        }
    }

    private static String only(List<String> addresses, String text) throws SendmailException {
        if (addresses.size() != 1) {
            throw new SendmailException(SysExit.USAGE, "-f " + text + " is not one address");
        }
        require(addresses.getFirst());
        return addresses.getFirst();
    }

    private static void require(String address) throws SendmailException {
        requireNoControls(address);
        if (Address.parse(address).or(() -> Address.parse(address + SOME_DOMAIN)).isEmpty()) {
            throw new SendmailException(SysExit.DATA_ERROR, "not an address: " + address);
        }
    }
}
