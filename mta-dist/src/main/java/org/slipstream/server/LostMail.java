package org.slipstream.server;

import org.slipstream.config.Config;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.guard.login.UserFileException;
import org.slipstream.local.address.AddressBook;
import org.slipstream.local.address.ThisMachine;
import org.slipstream.server.intake.Ingest;
import org.slipstream.server.report.ReportTemplates;
import org.slipstream.server.report.Reporter;
import org.slipstream.spool.Spool;
import org.slipstream.spool.tools.SpoolTools;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Reports lost mail to its senders when an operator orders it (`mta spool corrupt report`).
///
/// A local failure is never the sender's fault, so nothing here happens automatically: the operator
/// may still have the files. Each waiting recipient fails with 554 5.3.0, and the report is an
/// ordinary one: queued with the null sender, delivered after the next start. The order is
/// outcomes, report, removal: after a crash in between the sender may get two reports, but never
/// none.
final class LostMail {
    private LostMail() {}

    static SpoolTools.CorruptOrder reports(Config config) {
        Outcome lost = Outcome.of(Reply.of(554, "5.3.0", "the message was lost on the disk of this server"),
                config.hostname());
        return (spool, message) -> {
            if (message.details().isEmpty()) {
                return false;
            }
            fail(spool, message.details().get(), lost);
            return reporter(config, spool, book(config)).report(message.id(), ReportKind.FAILED);
        };
    }

    /// A report about forwarded mail goes to the original sender.
    private static AddressBook book(Config config) throws IOException {
        try {
            return config.addressBook(new ThisMachine(), Preparation.srs(config, false));
        } catch (UserFileException unusable) {
            throw new IOException(unusable.getMessage(), unusable);
        }
    }

    private static Reporter reporter(Config config, Spool spool, AddressBook book) {
        return Wiring.reporter(config, spool, new Ingest(spool::draft, book, _ -> {}),
                ReportTemplates.in(config.home()));
    }

    private static void fail(Spool spool, MessageDetails message, Outcome lost) {
        QueueId id = message.summary().id();
        List<RecipientOutcome> open = message.openRecipients().stream()
                .map(each -> new RecipientOutcome(each.number(), lost)).toList();
        if (!open.isEmpty()) {
            CompletableFuture<Void> recorded = new CompletableFuture<>();
            spool.record(id, open, () -> recorded.complete(null));
            recorded.join();
        }
    }
}
