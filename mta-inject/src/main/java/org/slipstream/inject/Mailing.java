package org.slipstream.inject;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.inject.InjectionTarget.CallerAddress;
import org.slipstream.inject.InjectionTarget.DurableMark;
import org.slipstream.inject.InjectionTarget.InjectingProgram;
import org.slipstream.inject.InjectionTarget.MessageParts;
import org.slipstream.inject.InjectionTarget.Submitted;
import org.slipstream.inject.MessageJson.MailingRecipient;
import tools.jackson.core.JsonGenerator;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/// A mailing: a template, then a line for each recipient, each of which gets a message of its own.
///
/// The lines are read one by one. Up to [#AT_ONCE] messages are composed and committed at the same time, so one sync of
/// the log serves many of them, and SMTP sessions have their share of it. After each page of [#PAGE] lines all are
/// decided; only then does the next page begin. So the cost in memory is that of a few messages, however many
/// recipients follow.
///
/// A recipient that is refused does not stop the mailing. Trouble of this server, a rate that is spent and a line that
/// is no JSON do: the answer tells how far it came, and a repetition with the same idempotency key goes on from there.
final class Mailing {
    static final int AT_ONCE = 32;
    static final int PAGE = 500;
    static final int MOST_RECIPIENTS = 1_000_000;
    static final int MOST_LINE = 128 << 10;
    static final int MOST_TOLD = 1_000;
    /// Text, HTML and what is composed of them.
    private static final int COPIES = 3;
    private static final int UNIT = 1 << 10;
    private static final Logger log = LoggerFactory.getLogger(Mailing.class);

    private final InjectionTarget target;
    private final InjectingProgram program;
    private final CallerAddress caller;
    private final MessageJson reader;
    private final MailingTemplate template;
    private final Optional<RequestKeys.Claim> claim;
    private final Semaphore atOnce = new Semaphore(AT_ONCE);
    private final Semaphore memory;
    private final int memoryUnits;
    private final AtomicReference<Optional<InjectionFault>> stop = new AtomicReference<>(Optional.empty());
    private final List<RefusedLine> told = new ArrayList<>();
    private int accepted;
    private int repeated;
    private int refused;

    private record RefusedLine(int number, String recipient, int status, String detail) {}

    /// @param memory of all mailings, in KiB, with this many units
    Mailing(InjectionTarget target, InjectingProgram program, CallerAddress caller, MessageJson reader,
            MailingTemplate template, Optional<RequestKeys.Claim> claim, Semaphore memory, int memoryUnits) {
        this.target = target;
        this.program = program;
        this.caller = caller;
        this.reader = reader;
        this.template = template;
        this.claim = claim;
        this.memory = memory;
        this.memoryUnits = memoryUnits;
    }

    /// Reads to the end of the body, or to the first fault that stops the mailing.
    ///
    /// @throws InjectionFault with the counts
    void run(BodyLines lines) throws InjectionFault, IOException {
        int number = 0;
        try {
            for (Optional<byte[]> line = lines.next(MOST_LINE); line.isPresent(); line = lines.next(MOST_LINE)) {
                number++;
                if (number > MOST_RECIPIENTS) {
                    throw InjectionFault.of(413, "a mailing has at most " + MOST_RECIPIENTS + " recipients");
                }
                begin(number, line.get(), lines);
                if (number % PAGE == 0) {
                    endPage(number, lines);
                }
                requireNoStop();
            }
            int decidedBefore = claim.map(RequestKeys.Claim::decided).orElse(0);
            if (number < decidedBefore) {
                throw RequestKeys.otherBody();
            }
            endPage(number, lines);
        } catch (InjectionFault fault) {
            throw told(fault, lines);
        } catch (MeteredBody.BodyFault fault) {
            throw told(fault.fault(), lines);
        } finally {
            awaitAll();
            sync();
        }
    }

    private InjectionFault told(InjectionFault fault, BodyLines lines) {
        awaitAll();
        return fault.with(out -> {
            out.writeNumberProperty("line", lines.number());
            writeCounts(out);
        });
    }

    private void sync() throws IOException {
        if (claim.isPresent()) {
            claim.get().sync();
        }
    }

    private void begin(int number, byte[] line, BodyLines lines) throws InjectionFault {
        String hash = claim.isPresent() ? lines.hash() : "";
        if (claim.isPresent() && claim.get().isStored(number, hash)) {
            synchronized (this) {
                repeated++;
            }
            return;
        }
        MailingRecipient recipient;
        MailRequest request;
        try {
            recipient = reader.recipient(new ByteArrayInputStream(line));
            request = template.filled(recipient);
        } catch (InjectionFault fault) {
            if (fault.status() == 400) {
                throw fault;
            }
            refuse(number, "", fault.status(), fault.detail());
            return;
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        int units = (int) Math.min(memoryUnits, COPIES * template.octets(recipient) / UNIT + 1);
        atOnce.acquireUninterruptibly();
        memory.acquireUninterruptibly(units);
        DurableMark mark = claim.map(each -> each.mark(number, hash)).orElse(DurableMark.NONE);
        Thread.ofVirtual().name("inject-message").start(() -> {
            try {
                submit(number, request, mark);
            } finally {
                memory.release(units);
                atOnce.release();
            }
        });
    }

    private void submit(int number, MailRequest request, DurableMark mark) {
        try {
            MessageParts parts = InjectionPage.parts(request);
            switch (target.submit(program, caller, parts, mark)) {
                case Submitted.Stored _ -> {
                    synchronized (this) {
                        accepted++;
                    }
                }
                case Submitted.Rejected(Reply reply, boolean local, var _) -> {
                    int status = InjectionPage.status(reply, local);
                    if (status == 503 || status == 429) {
                        stop(InjectionFault.of(status, reply.toString()));
                    } else {
                        refuse(number, parts.recipients().getFirst().toString(), status, reply.toString());
                    }
                }
            }
        } catch (IOException trouble) {
            log.warn("event=injection-failed user=\"{}\" error=\"{}\"", LogText.text(program.user()),
                    LogText.text(trouble.toString()));
            stop(InjectionFault.of(503, "Temporary system problem"));
        } catch (RuntimeException fault) {
            // It concerns this message alone.
            log.error("event=injection-failed user=\"{}\"", LogText.text(program.user()), fault);
            refuse(number, request.to().getFirst().address().toString(), 500, "a fault of the server");
        }
    }

    private void stop(InjectionFault fault) {
        stop.compareAndSet(Optional.empty(), Optional.of(fault));
    }

    private void requireNoStop() throws InjectionFault {
        Optional<InjectionFault> fault = stop.get();
        if (fault.isPresent()) {
            throw fault.get();
        }
    }

    private synchronized void refuse(int number, String recipient, int status, String detail) {
        refused++;
        if (told.size() < MOST_TOLD) {
            told.add(new RefusedLine(number, recipient, status, detail));
        }
    }

    private void endPage(int number, BodyLines lines) throws InjectionFault, IOException {
        awaitAll();
        requireNoStop();
        if (claim.isPresent() && number > claim.get().decided()) {
            claim.get().decided(number, lines.hash(), Optional.empty());
        }
    }

    private void awaitAll() {
        atOnce.acquireUninterruptibly(AT_ONCE);
        atOnce.release(AT_ONCE);
    }

    synchronized void log() {
        log.info("event=mailing-ended user=\"{}\" accepted={} refused={} repeated={}", LogText.text(program.user()),
                accepted, refused, repeated);
    }

    synchronized void writeCounts(JsonGenerator out) {
        out.writeNumberProperty("accepted", accepted);
        out.writeNumberProperty("refused", refused);
        out.writeNumberProperty("repeated", repeated);
        out.writeArrayPropertyStart("refusals");
        told.forEach(each -> {
            out.writeStartObject();
            out.writeNumberProperty("number", each.number());
            if (!each.recipient().isEmpty()) {
                out.writeStringProperty("recipient", each.recipient());
            }
            out.writeNumberProperty("status", each.status());
            out.writeStringProperty("detail", each.detail());
            out.writeEndObject();
        });
        out.writeEndArray();
    }
}
