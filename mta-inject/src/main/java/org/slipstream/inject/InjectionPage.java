package org.slipstream.inject;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.http.HttpAnswer;
import org.slipstream.http.HttpPage;
import org.slipstream.http.HttpProblem;
import org.slipstream.http.HttpRequest;
import org.slipstream.inject.InjectionTarget.CallerAddress;
import org.slipstream.inject.InjectionTarget.DurableMark;
import org.slipstream.inject.InjectionTarget.InjectingProgram;
import org.slipstream.inject.InjectionTarget.InjectionLimits;
import org.slipstream.inject.InjectionTarget.MessageParts;
import org.slipstream.inject.InjectionTarget.RefusedAddress;
import org.slipstream.inject.InjectionTarget.Submitted;
import org.slipstream.inject.MailRequest.Mailbox;
import tools.jackson.core.JsonGenerator;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// `POST /api/v1/messages`, in three forms by the media type of the body:
///
/// | Media type | Body |
/// |---|---|
/// | `application/json` | one message ([MessageJson]) |
/// | `message/rfc822` | one message as it is sent ([RawMessage]) |
/// | `application/x-ndjson` | a mailing ([Mailing]) |
///
/// An answer of success comes only when the messages are durable. The body is read only for a caller with a token.
/// Called on the threads of connections.
public final class InjectionPage implements HttpPage {
    /// The path below which this page answers.
    public static final String ROOT = "/api/v1";
    private static final String MESSAGES = ROOT + "/messages";
    private static final String OPENAPI = ROOT + "/openapi.json";
    private static final String FORMS = "application/json, application/x-ndjson, message/rfc822";
    private static final long MOST_OCTETS = 16L << 30;
    private static final Duration MOST_TIME = Duration.ofHours(2);
    private static final int MOST_KEY = 255;
    private static final int MOST_PARAMETERS = 2_000;
    private static final long STRANGERS_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MEMORY_UNIT = 1 << 10;
    private static final int HEAP_SHARE = 8;
    private static final Logger log = LoggerFactory.getLogger(InjectionPage.class);

    private final InjectionTarget target;
    private final RequestKeys keys;
    private final boolean tls;
    private final Semaphore bodies;
    private final Semaphore mailings;
    private final int mailingUnits;
    private final AtomicLong strangerNanos = new AtomicLong(System.nanoTime() - STRANGERS_EVERY_NANOS);

    /// @param tls the port is encrypted
    /// @param heapBytes of the process; requests use a part of it
    public InjectionPage(InjectionTarget target, RequestKeys keys, boolean tls, long heapBytes) {
        this.target = target;
        this.keys = keys;
        this.tls = tls;
        long share = heapBytes / HEAP_SHARE;
        bodies = MeteredBody.memory(Math.max(share, MeteredBody.memoryOf(longestJson(target.limits()))));
        mailingUnits = Math.clamp(share / MEMORY_UNIT, Mailing.AT_ONCE, Integer.MAX_VALUE);
        mailings = new Semaphore(mailingUnits);
    }

    /// Base64 and escapes make a message longer.
    private static long longestJson(InjectionLimits limits) {
        return limits.messageBytes() * 3 / 2 + (64 << 10);
    }

    @Override
    public long mostOctets() {
        return MOST_OCTETS;
    }

    @Override
    public Duration mostTime() {
        return MOST_TIME;
    }

    @Override
    public HttpAnswer answer(HttpRequest request) throws IOException {
        try {
            return answerOrFault(request);
        } catch (MeteredBody.BodyFault fault) {
            return problem(request, fault.fault());
        } catch (InjectionFault fault) {
            return problem(request, fault);
        }
    }

    private HttpAnswer problem(HttpRequest request, InjectionFault fault) {
        tell(request, fault);
        Map<String, String> headers = new LinkedHashMap<>();
        fault.retryAfter().ifPresent(seconds -> headers.put("Retry-After", Integer.toString(seconds)));
        switch (fault.status()) {
            case 401 -> headers.put("WWW-Authenticate", "Bearer");
            case 405 -> headers.put("Allow", request.path().equals(MESSAGES) ? "POST" : "GET, HEAD");
            case 415 -> headers.put("Accept-Post", FORMS);
            default -> {
                // The body tells all.
            }
        }
        return HttpAnswer.of(fault.status(), HttpProblem.MEDIA_TYPE, JsonText.of(fault::write)).with(headers);
    }

    /// A stranger could fill the log; a program with a token has the rates of its user.
    private void tell(HttpRequest request, InjectionFault fault) {
        long now = System.nanoTime();
        long last = strangerNanos.get();
        boolean isStranger = fault.status() == 401 || fault.status() == 404 || fault.status() == 405;
        if (!isStranger || now - last >= STRANGERS_EVERY_NANOS && strangerNanos.compareAndSet(last, now)) {
            log.info("event=injection-refused client={} status={} reason=\"{}\"", request.client(), fault.status(),
                    LogText.text(fault.detail()));
        }
    }

    private HttpAnswer answerOrFault(HttpRequest request) throws InjectionFault, IOException {
        return switch (request.path()) {
            case MESSAGES -> {
                require(request, "POST");
                yield messages(request);
            }
            case OPENAPI -> {
                require(request, "GET", "HEAD");
                yield description();
            }
            default -> throw InjectionFault.of(404, "the paths are " + MESSAGES + " and " + OPENAPI);
        };
    }

    private static void require(HttpRequest request, String... methods) throws InjectionFault {
        if (!List.of(methods).contains(request.method())) {
            throw InjectionFault.of(405, request.path() + " has no method " + request.method());
        }
    }

    private static HttpAnswer description() throws IOException {
        try (InputStream text = Objects.requireNonNull(InjectionPage.class.getResourceAsStream("openapi.json"))) {
            return HttpAnswer.of(200, "application/json", new String(text.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    // ---- requests

    private HttpAnswer messages(HttpRequest request) throws InjectionFault, IOException {
        InjectingProgram program = program(request);
        String type = request.value("content-type").orElse("");
        int parameters = type.indexOf(';');
        String form = (parameters < 0 ? type : type.substring(0, parameters)).strip().toLowerCase(Locale.ROOT);
        if (!List.of("application/json", "application/x-ndjson", "message/rfc822").contains(form)) {
            throw InjectionFault.of(415, "the Content-Type is one of " + FORMS);
        }
        CallerAddress caller = new CallerAddress(InetAddress.ofLiteral(request.client()), tls);
        Optional<RequestKeys.Claim> claim = claim(request, program);
        try (MeteredBody body = new MeteredBody(request.body(), bodies)) {
            return switch (form) {
                case "application/json" -> one(request, body, program, caller, claim, this::json);
                case "message/rfc822" -> one(request, body, program, caller, claim, this::raw);
                default -> mailing(body, program, caller, claim);
            };
        } finally {
            claim.ifPresent(RequestKeys.Claim::close);
        }
    }

    private InjectingProgram program(HttpRequest request) throws InjectionFault, IOException {
        String token = request.token().orElseThrow(
                () -> InjectionFault.of(401, "a token is needed: Authorization: Bearer TOKEN"));
        return target.program(token)
                .orElseThrow(() -> InjectionFault.of(401, "there is no such token with the right to send"));
    }

    /// The key is a text, or the same in quotes as a structured field has it.
    private Optional<RequestKeys.Claim> claim(HttpRequest request, InjectingProgram program) throws InjectionFault {
        List<String> given = request.values("idempotency-key");
        if (given.isEmpty()) {
            return Optional.empty();
        }
        String key = given.getFirst().strip();
        if (key.length() >= 2 && key.startsWith("\"") && key.endsWith("\"")) {
            key = key.substring(1, key.length() - 1);
        }
        if (given.size() > 1 || key.isEmpty() || key.length() > MOST_KEY
                || !key.chars().allMatch(c -> c > ' ' && c <= '~')) {
            throw InjectionFault.of(400, "Idempotency-Key is one text of 1 to " + MOST_KEY
                    + " visible ASCII characters");
        }
        return Optional.of(keys.claim(program.user(), key));
    }

    // ---- one message

    private interface PartsReading {
        MessageParts read(HttpRequest request, MeteredBody body) throws InjectionFault, IOException;
    }

    private MessageParts json(HttpRequest request, MeteredBody body) throws InjectionFault, IOException {
        body.limit(longestJson(target.limits()));
        return parts(new MessageJson(target.limits()).message(body, false));
    }

    private MessageParts raw(HttpRequest request, MeteredBody body) throws InjectionFault, IOException {
        InjectionLimits limits = target.limits();
        body.limit(limits.messageBytes());
        Map<String, List<String>> query = query(request.query());
        List<String> data = query.getOrDefault("data", List.of());
        List<String> id = query.getOrDefault("envelopeId", List.of());
        if (!id.isEmpty()) {
            MessageJson.envelopeId("envelopeId", id.getFirst());
        }
        return new RawMessage(body.readAllBytes()).parts(query,
                data.isEmpty() ? "" : new MessageJson(limits).data(data.getFirst()), limits.recipients());
    }

    static MessageParts parts(MailRequest request) {
        List<Address> recipients = Stream.of(request.to(), request.cc(), request.bcc()).flatMap(List::stream)
                .map(Mailbox::address).distinct().toList();
        return new MessageParts(request.sender(), recipients, MimeComposer.isInternational(request),
                request.envelopeId(), request.data(), MimeComposer.compose(request));
    }

    private HttpAnswer one(HttpRequest request, MeteredBody body, InjectingProgram program, CallerAddress caller,
            Optional<RequestKeys.Claim> claim, PartsReading reading) throws InjectionFault, IOException {
        MessageParts parts = reading.read(request, body);
        String hash = claim.isPresent() ? body.hashSoFar(request.query()) : "";
        if (claim.isPresent() && claim.get().isStored(1, hash)) {
            Optional<QueueId> id = claim.get().queue();
            claim.get().decided(1, hash, id);
            claim.get().sync();
            return accepted(out -> {
                id.ifPresent(each -> out.writeStringProperty("queue", each.toString()));
                out.writeBooleanProperty("repeated", true);
            });
        }
        return switch (submitted(program, caller, parts, claim.map(each -> each.mark(1, hash)))) {
            case Submitted.Stored(QueueId id, Optional<String> messageId, List<RefusedAddress> refused) -> {
                if (claim.isPresent()) {
                    claim.get().decided(1, hash, Optional.of(id));
                    claim.get().sync();
                }
                yield accepted(out -> {
                    out.writeStringProperty("queue", id.toString());
                    messageId.ifPresent(each -> out.writeStringProperty("messageId", each));
                    out.writeBooleanProperty("repeated", false);
                    writeRefused(out, refused);
                });
            }
            case Submitted.Rejected(Reply reply, boolean local, List<RefusedAddress> refused) ->
                throw InjectionFault.of(status(reply, local), reply.toString())
                        .with(out -> writeRefused(out, refused));
        };
    }

    private Submitted submitted(InjectingProgram program, CallerAddress caller, MessageParts parts,
            Optional<DurableMark> mark) throws InjectionFault {
        try {
            return target.submit(program, caller, parts, mark.orElse(DurableMark.NONE));
        } catch (IOException trouble) {
            log.warn("event=injection-failed user=\"{}\" error=\"{}\"", LogText.text(program.user()),
                    LogText.text(trouble.toString()));
            throw InjectionFault.of(503, "Temporary system problem");
        }
    }

    private static HttpAnswer accepted(Consumer<JsonGenerator> fields) {
        return HttpAnswer.of(202, "application/json", JsonText.of(out -> {
            out.writeStartObject();
            fields.accept(out);
            out.writeEndObject();
        }));
    }

    private static void writeRefused(JsonGenerator out, List<RefusedAddress> refused) {
        out.writeArrayPropertyStart("refusals");
        refused.forEach(each -> {
            out.writeStartObject();
            out.writeStringProperty("recipient", each.recipient().toString());
            out.writeNumberProperty("status", status(each.reply(), false));
            out.writeStringProperty("detail", each.reply().toString());
            out.writeEndObject();
        });
        out.writeEndArray();
    }

    /// The status for a reply of SMTP. A local problem is never the fault of the caller.
    static int status(Reply reply, boolean local) {
        String status = reply.status().map(EnhancedStatus::toString).orElse("");
        if (local) {
            return 503;
        }
        if (reply.code() < 500) {
            return status.startsWith("4.7.") ? 429 : 503;
        }
        if (reply.code() == 552 || status.equals("5.3.4")) {
            return 413;
        }
        // The sender is not the user's.
        return reply.code() == 553 && status.equals("5.7.1") ? 403 : 422;
    }

    // ---- a mailing

    private HttpAnswer mailing(MeteredBody body, InjectingProgram program, CallerAddress caller,
            Optional<RequestKeys.Claim> claim) throws InjectionFault, IOException {
        InjectionLimits limits = target.limits();
        BodyLines lines = new BodyLines(body);
        body.limit(longestJson(limits));
        byte[] first = lines.next(longestJson(limits))
                .orElseThrow(() -> InjectionFault.of(400, "the first line of a mailing is its template"));
        body.unlimited();
        MessageJson reader = new MessageJson(limits);
        MailingTemplate template = new MailingTemplate(
                reader.message(new ByteArrayInputStream(first), true), limits.messageBytes());
        Mailing mailing = new Mailing(target, program, caller, reader, template, claim, mailings, mailingUnits);
        try {
            mailing.run(lines);
        } finally {
            mailing.log();
        }
        return accepted(mailing::writeCounts);
    }

    // ---- query

    private static Map<String, List<String>> query(String text) throws InjectionFault {
        Map<String, List<String>> parameters = new HashMap<>();
        if (text.isEmpty()) {
            return parameters;
        }
        String[] pairs = text.split("&", MOST_PARAMETERS + 1);
        if (pairs.length > MOST_PARAMETERS) {
            throw InjectionFault.of(413, "a query has at most " + MOST_PARAMETERS + " parameters");
        }
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
            if (!List.of("from", "to", "data", "envelopeId").contains(name)) {
                throw InjectionFault.at(name, "there is no such parameter");
            }
            parameters.computeIfAbsent(name, _ -> new ArrayList<>())
                    .add(equals < 0 ? "" : decoded(pair.substring(equals + 1)));
        }
        return parameters;
    }

    private static String decoded(String text) throws InjectionFault {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw InjectionFault.of(400, "the query is not valid");
        }
    }
}
