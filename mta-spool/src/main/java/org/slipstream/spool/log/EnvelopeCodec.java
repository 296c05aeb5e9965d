package org.slipstream.spool.log;

import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.SenderTls;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// An envelope as bytes:
///
/// ```
/// version      1 byte   1
/// flags        1 byte   1 null sender · 2 SMTPUTF8 · 4 has ENVID · 8 has options · 16 has an origin ·
///                       32 the origin has data
/// body type    1 byte   0 7BIT · 1 8BITMIME · 2 BINARYMIME
/// RET          1 byte   0 not given · 1 FULL · 2 HDRS
/// sender       local part, domain         unless null
/// ENVID        text                       if there is one
/// recipients   count, then for each: NOTIFY bits (1 NEVER · 2 SUCCESS · 4 FAILURE · 8 DELAY · 16 has ORCPT),
///              local part, domain, original (if there is one)
/// options      if there are some: bits (1 hold · 2 deadline · 4 mode R · 8 trace · 16 REQUIRETLS ·
///              32 TLS-Required: No), MT-PRIORITY + 9, 8 bytes each, high byte first: hold until, deadline
///              (if there is one), in milliseconds since 1970
/// origin       if it is known: service, client, HELO name, user, Message-ID; queue id in 8 bytes, 0 when there is none;
///              data (if it has some)
/// ```
///
/// Text is UTF-8 after its length. Lengths and counts take 7 bits a byte, lowest first; the high
/// bit says that more bytes follow. Numbers of constants are written out here and are not the
/// enums' ordinals, so that reordering an enum does not change the format on disk.
public final class EnvelopeCodec {
    static final int VERSION = 1;

    private static final int NULL_SENDER = 1;
    private static final int SMTP_UTF8 = 2;
    private static final int HAS_ENVELOPE_ID = 4;
    private static final int HAS_OPTIONS = 8;
    private static final int HAS_ORIGIN = 16;
    private static final int HAS_DATA = 32;
    private static final int HAS_ORIGINAL = 16;

    private static final int HOLD = 1;
    private static final int DELIVER_BY = 2;
    private static final int RETURNED = 4;
    private static final int TRACED = 8;
    private static final int REQUIRE_TLS = 16;
    private static final int TLS_OPTIONAL = 32;
    private static final int LOWEST_PRIORITY = -9;

    private EnvelopeCodec() {}

    public static byte[] encode(Envelope envelope) {
        ByteOutput out = new ByteOutput(64 + 48 * envelope.recipients().size());
        boolean hasOptions = !envelope.options().equals(DeliveryOptions.NONE);
        boolean hasOrigin = !envelope.origin().equals(Origin.UNKNOWN);
        out.octet(VERSION);
        out.octet((envelope.sender().isEmpty() ? NULL_SENDER : 0) | (envelope.smtpUtf8() ? SMTP_UTF8 : 0)
                | (envelope.envelopeId().isPresent() ? HAS_ENVELOPE_ID : 0) | (hasOptions ? HAS_OPTIONS : 0)
                | (hasOrigin ? HAS_ORIGIN : 0) | (envelope.origin().data().isEmpty() ? 0 : HAS_DATA));
        out.octet(code(envelope.body()));
        out.octet(code(envelope.returns()));
        envelope.sender().ifPresent(out::address);
        envelope.envelopeId().ifPresent(out::text);
        out.number(envelope.recipients().size());
        for (Recipient recipient : envelope.recipients()) {
            out.octet(bits(recipient.notifyOn()) | (recipient.original().isPresent() ? HAS_ORIGINAL : 0));
            out.address(recipient.address());
            recipient.original().ifPresent(out::text);
        }
        if (hasOptions) {
            putOptions(out, envelope.options());
        }
        if (hasOrigin) {
            putOrigin(out, envelope.origin());
        }
        return out.toBytes();
    }

    /// The delivery options alone, as the index keeps them.
    public static byte[] encode(DeliveryOptions options) {
        ByteOutput out = new ByteOutput(18);
        putOptions(out, options);
        return out.toBytes();
    }

    /// @throws DamagedMessageException when the bytes are no delivery options
    public static DeliveryOptions decodeOptions(ByteBuffer bytes) throws DamagedMessageException {
        try {
            DeliveryOptions options = options(bytes);
            if (bytes.hasRemaining()) {
                throw new DamagedMessageException("bytes after the end of options");
            }
            return options;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new DamagedMessageException("not delivery options: " + e);
        }
    }

    /// The origin alone, as the index keeps it.
    public static byte[] encode(Origin origin) {
        ByteOutput out = new ByteOutput(160);
        putOrigin(out, origin);
        return out.toBytes();
    }

    /// @throws DamagedMessageException when the bytes are no origin
    public static Origin decodeOrigin(ByteBuffer bytes) throws DamagedMessageException {
        try {
            Origin origin = origin(bytes);
            return bytes.hasRemaining() ? origin.withData(text(bytes)) : origin;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new DamagedMessageException("not an origin: " + e);
        }
    }

    /// @throws DamagedMessageException when the bytes are no envelope
    public static Envelope decode(ByteBuffer bytes) throws DamagedMessageException {
        try {
            Envelope envelope = read(bytes);
            if (bytes.hasRemaining()) {
                throw new DamagedMessageException("bytes after the end of an envelope");
            }
            return envelope;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new DamagedMessageException("not an envelope: " + e);
        }
    }

    private static Envelope read(ByteBuffer in) {
        int version = in.get();
        if (version != VERSION) {
            throw new IllegalArgumentException("version " + version);
        }
        int flags = in.get();
        BodyType body = bodyType(in.get());
        DsnReturn returns = dsnReturn(in.get());
        Optional<Address> sender = (flags & NULL_SENDER) != 0 ? Optional.empty() : Optional.of(address(in));
        Optional<String> envelopeId = (flags & HAS_ENVELOPE_ID) != 0 ? Optional.of(text(in)) : Optional.empty();
        int count = number(in);
        List<Recipient> recipients = new ArrayList<>(Math.min(count, in.remaining()));
        for (int number = 1; number <= count; number++) {
            int bits = in.get();
            Address address = address(in);
            Optional<String> original = (bits & HAS_ORIGINAL) != 0 ? Optional.of(text(in)) : Optional.empty();
            recipients.add(new Recipient(number, address, original, notifyOn(bits & ~HAS_ORIGINAL)));
        }
        DeliveryOptions options = (flags & HAS_OPTIONS) != 0 ? options(in) : DeliveryOptions.NONE;
        Origin origin = (flags & HAS_ORIGIN) != 0 ? origin(in) : Origin.UNKNOWN;
        if ((flags & HAS_DATA) != 0) {
            origin = origin.withData(text(in));
        }
        return new Envelope(sender, body, (flags & SMTP_UTF8) != 0, envelopeId, returns, recipients, options, origin);
    }

    private static void putOrigin(ByteOutput out, Origin origin) {
        out.text(origin.service());
        out.text(origin.client());
        out.text(origin.helo());
        out.text(origin.user());
        out.text(origin.messageId());
        out.eightBytes(origin.about().map(QueueId::value).orElse(0L));
        if (!origin.data().isEmpty()) {
            out.text(origin.data());
        }
    }

    private static Origin origin(ByteBuffer in) {
        String service = text(in);
        String client = text(in);
        String helo = text(in);
        String user = text(in);
        String messageId = text(in);
        long about = in.getLong();
        return new Origin(service, client, helo, user, messageId,
                about == 0 ? Optional.empty() : Optional.of(new QueueId(about)));
    }

    private static void putOptions(ByteOutput out, DeliveryOptions options) {
        int by = options.deliverBy()
                .map(each -> DELIVER_BY | (each.returned() ? RETURNED : 0) | (each.traced() ? TRACED : 0))
                .orElse(0);
        out.octet((options.holdUntilMillis().isPresent() ? HOLD : 0) | by | code(options.tls()));
        out.octet(options.priority() - LOWEST_PRIORITY);
        options.holdUntilMillis().ifPresent(out::eightBytes);
        options.deliverBy().ifPresent(each -> out.eightBytes(each.deadlineMillis()));
    }

    private static DeliveryOptions options(ByteBuffer in) {
        int bits = in.get();
        if (bits < 0 || bits >= TLS_OPTIONAL << 1 || (bits & TLS_OPTIONAL) != 0 && (bits & REQUIRE_TLS) != 0
                || (bits & DELIVER_BY) == 0 && (bits & (RETURNED | TRACED)) != 0) {
            throw new IllegalArgumentException("not delivery options: " + bits);
        }
        int priority = in.get() + LOWEST_PRIORITY;
        OptionalLong hold = (bits & HOLD) != 0 ? OptionalLong.of(in.getLong()) : OptionalLong.empty();
        Optional<DeliveryOptions.DeliverBy> by = (bits & DELIVER_BY) != 0
                ? Optional.of(new DeliveryOptions.DeliverBy(in.getLong(), (bits & RETURNED) != 0, (bits & TRACED) != 0))
                : Optional.empty();
        return new DeliveryOptions(hold, by, priority, senderTls(bits));
    }

    private static int code(SenderTls tls) {
        return switch (tls) {
            case USUAL -> 0;
            case REQUIRED -> REQUIRE_TLS;
            case OPTIONAL -> TLS_OPTIONAL;
        };
    }

    private static SenderTls senderTls(int bits) {
        return (bits & REQUIRE_TLS) != 0
                ? SenderTls.REQUIRED
                : (bits & TLS_OPTIONAL) != 0 ? SenderTls.OPTIONAL : SenderTls.USUAL;
    }

    private static Address address(ByteBuffer in) {
        String localPart = text(in);
        return new Address(localPart, text(in));
    }

    static String text(ByteBuffer in) {
        return new String(octets(in), StandardCharsets.UTF_8);
    }

    static byte[] octets(ByteBuffer in) {
        int length = number(in);
        if (length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] octets = new byte[length];
        in.get(octets);
        return octets;
    }

    static int number(ByteBuffer in) {
        int value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            int octet = in.get();
            value |= (octet & 0x7f) << shift;
            if (octet >= 0) {
                if (value < 0) {
                    break;
                }
                return value;
            }
        }
        throw new IllegalArgumentException("number too large");
    }

    /// The index uses the same numbers.
    public static int code(BodyType body) {
        return switch (body) {
            case SEVEN_BIT -> 0;
            case EIGHT_BIT_MIME -> 1;
            case BINARY_MIME -> 2;
        };
    }

    /// @throws IllegalArgumentException when no body type has that number
    public static BodyType bodyType(int code) {
        return switch (code) {
            case 0 -> BodyType.SEVEN_BIT;
            case 1 -> BodyType.EIGHT_BIT_MIME;
            case 2 -> BodyType.BINARY_MIME;
            default -> throw new IllegalArgumentException("no body type: " + code);
        };
    }

    public static int code(DsnReturn returns) {
        return switch (returns) {
            case UNSPECIFIED -> 0;
            case FULL -> 1;
            case HEADERS -> 2;
        };
    }

    /// @throws IllegalArgumentException when no value has that number
    public static DsnReturn dsnReturn(int code) {
        return switch (code) {
            case 0 -> DsnReturn.UNSPECIFIED;
            case 1 -> DsnReturn.FULL;
            case 2 -> DsnReturn.HEADERS;
            default -> throw new IllegalArgumentException("no RET: " + code);
        };
    }

    public static int bits(Set<DsnNotify> notifyOn) {
        int bits = 0;
        for (DsnNotify each : notifyOn) {
            bits |= bit(each);
        }
        return bits;
    }

    /// @throws IllegalArgumentException when a bit is unknown
    public static Set<DsnNotify> notifyOn(int bits) {
        if (bits == 0) {
            return Set.of();
        }
        Set<DsnNotify> notifyOn = EnumSet.noneOf(DsnNotify.class);
        for (DsnNotify each : DsnNotify.values()) {
            if ((bits & bit(each)) != 0) {
                notifyOn.add(each);
            }
        }
        if (bits(notifyOn) != bits) {
            throw new IllegalArgumentException("no NOTIFY: " + bits);
        }
        return notifyOn;
    }

    private static int bit(DsnNotify notify) {
        return switch (notify) {
            case NEVER -> 1;
            case SUCCESS -> 2;
            case FAILURE -> 4;
            case DELAY -> 8;
        };
    }
}
