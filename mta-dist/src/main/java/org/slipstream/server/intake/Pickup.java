package org.slipstream.server.intake;

import jakarta.mail.internet.InternetAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Envelope;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.local.address.TooManyRecipientsException;
import org.slipstream.local.maildrop.DropEnvelope;
import org.slipstream.local.maildrop.DropFileException;
import org.slipstream.local.maildrop.DropFileReader;
import org.slipstream.local.maildrop.DropFormat;
import org.slipstream.local.maildrop.MaildropFolder;
import org.slipstream.smtpin.LocalSubmission;
import org.slipstream.smtpin.LocalSubmission.LocalUser;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Turns files of the maildrop into messages of the spool.
///
/// **Nothing is lost.** A file is deleted only after its message is durable. Where the spool refuses
/// new mail, the file goes back and is tried again; a file that can never become a message is set
/// aside.
///
/// **No second copy after a crash.** A file that is being stored bears the queue id of its message.
/// The next start finds the file, and deletes it when the spool has that message ([#recover]). Two
/// copies remain possible when the message was delivered before the crash, in the moment between the
/// commit and the deletion.
///
/// May be called by any thread.
public final class Pickup {
    private static final Logger log = LoggerFactory.getLogger(Pickup.class);

    private final MaildropFolder folder;
    private final LocalSubmission submission;
    private final Ingest ingest;
    private final InFlowDelay brake;
    private final String domain;
    private final Clock clock;

    /// @param domain of addresses without one
    public Pickup(MaildropFolder folder, LocalSubmission submission, Ingest ingest, InFlowDelay brake,
            String domain, Clock clock) {
        this.folder = folder;
        this.submission = submission;
        this.ingest = ingest;
        this.brake = brake;
        this.domain = domain;
        this.clock = clock;
    }

    /// The spool, before deliveries begin.
    @FunctionalInterface
    public interface KnownMessages {
        boolean contains(QueueId id) throws IOException;
    }

    /// Treats the files that a killed server was storing.
    public static void recover(MaildropFolder folder, KnownMessages spool) throws IOException {
        for (Map.Entry<Path, Optional<QueueId>> file : folder.leftOver().entrySet()) {
            try {
                recover(folder, file.getKey(), file.getValue(), spool);
            } catch (IOException trouble) {
                later(folder, file.getKey().toString(), trouble);
            }
        }
    }

    private static void recover(MaildropFolder folder, Path file, Optional<QueueId> id, KnownMessages spool)
            throws IOException {
        if (id.isEmpty()) {
            setAside(folder, file, "not a name of this server");
        } else if (MaildropFolder.isStored(file) || spool.contains(id.get())) {
            log.info("event=maildrop-file-known queue={} file={}", id.get(), shown(file));
            folder.deleteStored(file);
        } else {
            folder.putBack(file, id.get());
        }
    }

    /// Stores one file.
    ///
    /// @return false when it has to be tried again later
    boolean store(String name) {
        brake.beforeAMessage();
        try (SpoolDraft draft = ingest.begin(true, true)) {
            return store(name, folder.take(name, draft.id()), draft);
        } catch (NoSuchFileException taken) {
            return true;
        } catch (IOException trouble) {
            later(folder, name, trouble);
            return false;
        }
    }

    private boolean store(String name, Path file, SpoolDraft draft) throws IOException {
        try {
            requireOneLink(file);
            if (!hasPossibleSize(file)) {
                refuse(file, "552 5.3.4 Message size exceeds fixed limit");
                return true;
            }
            LocalSubmission.TakenOrRefused result;
            try (DropFileReader reader = new DropFileReader(Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS),
                    Files.size(file))) {
                result = submit(reader, file, draft);
            }
            switch (result) {
                case LocalSubmission.TakenOrRefused.Committed _ -> folder.deleteStored(file);
                case LocalSubmission.TakenOrRefused.Refused(var reply) -> refuse(file, reply.toString());
            }
            return true;
        } catch (TooManyRecipientsException never) {
            refuse(file, FailureWords.of(never));
            return true;
        } catch (DropFileException | AccessDeniedException never) {
            setAside(folder, file, FailureWords.of(never));
            return true;
        } catch (IOException trouble) {
            folder.putBack(file, name);
            throw trouble;
        } catch (RuntimeException fault) {
            // It concerns this message alone.
            log.error("event=maildrop-failed file={}", shown(file), fault);
            setAside(folder, file, "a fault of the program");
            return true;
        }
    }

    /// The program was told that its message is on disk, so its sender receives a report.
    private void refuse(Path file, String reason) throws IOException {
        try (DropFileReader reader = new DropFileReader(Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS),
                Files.size(file))) {
            Envelope envelope = envelope(reader.envelope());
            if (envelope.sender().isPresent()) {
                ingest.submit(RefusedFile.envelope(envelope.sender().get()),
                        RefusedFile.report(envelope, domain, reason, clock.instant()));
            }
        }
        setAside(folder, file, reason);
    }

    /// A file may seem to have two terabytes and need no room on the disk. Reading it takes hours.
    private boolean hasPossibleSize(Path file) throws IOException {
        return Files.size(file) - DropFileReader.MOST_HEAD_BYTES - DropFormat.TRAILER_BYTES <= submission
                .largestBytes();
    }

    private static void requireOneLink(Path file) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(file, "unix:isRegularFile,nlink",
                LinkOption.NOFOLLOW_LINKS);
        if (!Boolean.TRUE.equals(attributes.get("isRegularFile"))
                || !Integer.valueOf(1).equals(attributes.get("nlink"))) {
            throw new DropFileException("not a regular file with one name");
        }
    }

    private LocalSubmission.TakenOrRefused submit(DropFileReader reader, Path file, SpoolDraft draft)
            throws IOException {
        Envelope envelope = envelope(reader.envelope());
        LocalUser user = user(file, reader.envelope().fullName(), envelope);
        LocalSubmission.TakenOrRefused result = submission.take(Origin.MAILDROP, draft, envelope, user, reader);
        if (result instanceof LocalSubmission.TakenOrRefused.Committed(var id, var bytes, var messageId)) {
            log.info("event=maildrop-message-accepted queue={} user=\"{}\" sender={} recipients={} bytes={}{}", id,
                    LogText.text(user.name()), LogText.path(envelope.sender()), envelope.recipients().size(), bytes,
                    messageId.map(text -> " message-id=\"" + LogText.text(text) + "\"").orElse(""));
        }
        return result;
    }

    private Envelope envelope(DropEnvelope given) throws DropFileException {
        Optional<Address> sender = given.sender().isEmpty() ? Optional.empty() : Optional.of(address(given.sender()));
        List<Recipient> recipients = new ArrayList<>();
        for (String each : given.recipients()) {
            recipients.add(new Recipient(recipients.size() + 1, address(each), Optional.empty(), given.notifyOn()));
        }
        boolean international = sender.filter(Address::isInternational).isPresent()
                || recipients.stream().anyMatch(each -> each.address().isInternational());
        return new Envelope(sender, given.body(), international, given.envelopeId(), given.returns(), recipients,
                DeliveryOptions.NONE, Origin.UNKNOWN);
    }

    private Address address(String text) throws DropFileException {
        return Address.parse(text).or(() -> Address.parse(text + "@" + domain))
                .orElseThrow(() -> new DropFileException("not an address: " + text));
    }

    /// The owner of the file wrote it, whatever the envelope says.
    private LocalUser user(Path file, String fullName, Envelope envelope) throws IOException {
        int id = (int) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        UserPrincipal owner = Files.getOwner(file, LinkOption.NOFOLLOW_LINKS);
        String address = envelope.sender().map(Address::toString).orElseGet(() -> owner.getName() + "@" + domain);
        return new LocalUser(id, owner.getName(), author(address, fullName));
    }

    private static String author(String address, String fullName) throws IOException {
        if (fullName.isEmpty()) {
            return address;
        }
        InternetAddress author = new InternetAddress();
        author.setAddress(address);
        author.setPersonal(fullName, StandardCharsets.UTF_8.name());
        return author.toString();
    }

    private static void setAside(MaildropFolder folder, Path file, String reason) throws IOException {
        Path place = folder.setAside(file);
        folder.lines().next("set-aside").ifPresent(more -> log.error(
                "event=maildrop-file-set-aside file={} reason=\"{}\" next=\"the file stays there for 30 days; move it"
                        + " back with a name that begins with new. to try it again\" more={}",
                shown(place), LogText.text(reason), more));
    }

    private static void later(MaildropFolder folder, String name, IOException trouble) {
        folder.lines().next("waits").ifPresent(more -> log.warn(
                "event=maildrop-file-waits file={} error=\"{}\" next=\"the file stays and is tried again\" more={}",
                LogText.word(name), LogText.text(FailureWords.of(trouble)), more));
    }

    // Any user of the machine chooses the name of a file.
    private static String shown(Path file) {
        return LogText.word(file.toString());
    }
}
