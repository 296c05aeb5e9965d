package org.slipstream.auth.dkim;

import org.slipstream.auth.dkim.BodyHashes.BodyForm;
import org.slipstream.auth.dkim.RawHeader.RawField;
import org.slipstream.core.text.Ascii;
import org.slipstream.core.text.Controls;
import org.slipstream.core.text.TagList;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/// A signature field, read (RFC 6376 sections 3.5, 6.1.1). The first thing that is wrong with it
/// decides its verdict; the rest is read as far as it goes, so that a result can name it.
///
/// The fields of ARC have the same notation (RFC 8617 sections 4.1.2, 4.1.3), without a version, and
/// with the number of a set in the tag `i`.
public final class DkimSignature {
    /// Clocks differ.
    static final long SKEW_SECONDS = 300;
    private static final int PREFIX_CHARACTERS = 8;
    private static final int MOST_IDENTITY = 320;
    private static final int LONGEST_WORD = 32;
    private static final int SHA256_BYTES = 32;
    /// The grammar allows 76 digits.
    private static final int MOST_DIGITS = 18;
    private static final long HUGE = Long.MAX_VALUE / 2;
    private static final byte[] NONE = new byte[0];

    public enum SignatureKind {
        DKIM, ARC_MESSAGE,
        /// Of header fields that its place decides, and of no body.
        ARC_SEAL
    }

    /// @param reason empty for *pass*
    /// @param keyBits 0 when the key was not had
    public record Judgement(DkimVerdict verdict, String reason, int keyBits, boolean testing) {}

    private final RawField field;
    private final TagList tags;
    private final Optional<DkimAlgorithm> algorithm;
    private final byte[] signature;
    private final byte[] bodyHash;
    private final Optional<KeyName> name;
    private final List<String> names;
    private final String identity;
    private final boolean coversFrom;
    private Canonicalization headerForm = Canonicalization.SIMPLE;
    private Optional<BodyForm> bodyForm = Optional.empty();
    private Optional<Judgement> fault = Optional.empty();

    public DkimSignature(RawField field, SignatureKind kind, RawHeader header, Instant now) {
        boolean isSeal = kind == SignatureKind.ARC_SEAL;
        this.field = field;
        Optional<TagList> list = TagList.parse(field.value());
        this.tags = list.orElseGet(() -> new TagList(Map.of(), Map.of(), List.of()));
        check(list.isPresent(), DkimVerdict.PERMERROR, "the field is not a list of tags");
        boolean isDkim = kind == SignatureKind.DKIM;
        check(!isDkim || tags.get("v").isPresent(), DkimVerdict.PERMERROR, "the tag \"v\" is missing");
        check(!isDkim || "1".equals(tag("v")), DkimVerdict.NEUTRAL, "the version is not 1");
        this.algorithm = DkimAlgorithm.ofWord(tag("a"));
        check(!"rsa-sha1".equals(tag("a")), DkimVerdict.PERMERROR, "rsa-sha1 is not accepted (RFC 8301)");
        check(algorithm.isPresent(), DkimVerdict.NEUTRAL, "the algorithm is unknown");
        this.signature = base64("b");
        this.bodyHash = isSeal ? NONE : base64("bh");
        check(isSeal || bodyHash.length == SHA256_BYTES, DkimVerdict.PERMERROR, "the body hash is not one of SHA-256");
        this.name = KeyName.of(utf8(tag("d")), utf8(tag("s")));
        check(name.isPresent(), DkimVerdict.PERMERROR, "domain and selector are not a name");
        this.names = colonWords(tag("h"));
        long froms = names.stream().filter("from"::equals).count();
        this.coversFrom = isSeal || froms >= header.count("from");
        check(isSeal || froms > 0, DkimVerdict.PERMERROR, "the field From is not signed");
        check(!isSeal || tags.get("h").isEmpty(), DkimVerdict.PERMERROR, "a seal has no tag \"h\"");
        check(isDkim || !names.contains("arc-seal"), DkimVerdict.PERMERROR, "a seal is signed by it");
        if (isSeal) {
            headerForm = Canonicalization.RELAXED;
        } else {
            readForms(tags.get("c").orElse("simple/simple"));
        }
        this.identity = identityOf(isDkim ? tags.get("i") : Optional.empty());
        check(tags.get("q").isEmpty() || colonWords(tag("q")).contains("dns/txt"), DkimVerdict.NEUTRAL,
                "the way to the key is unknown");
        readTimes(now.getEpochSecond());
    }

    /// Empty when nothing but the key and the hashes can speak against it.
    public Optional<Judgement> fault() {
        return fault;
    }

    public RawField field() {
        return field;
    }

    /// Of a signature without a fault.
    public KeyName name() {
        return name.orElseThrow();
    }

    /// Of a signature without a fault.
    DkimAlgorithm algorithm() {
        return algorithm.orElseThrow();
    }

    byte[] signature() {
        return signature;
    }

    byte[] bodyHash() {
        return bodyHash;
    }

    /// Empty for a seal, and when the form is unknown.
    public Optional<BodyForm> bodyForm() {
        return bodyForm;
    }

    /// False when the message has a From field that the signature leaves out. A reader may show that
    /// one (section 8.15).
    boolean coversFrom() {
        return coversFrom;
    }

    String identityDomain() {
        return identityDomain(identity);
    }

    /// The fields that its tag `h` names.
    List<RawField> signedFields(RawHeader header) {
        return header.signed(names, field);
    }

    /// The octets that are signed.
    byte[] signedHeader(List<RawField> fields) {
        int from = Objects.requireNonNull(tags.starts().get("b"));
        int semicolon = field.value().indexOf(';', from);
        int to = semicolon < 0 ? field.value().length() : semicolon;
        int start = field.colon() + 1;
        return headerForm.header(fields, field, start + from, start + to);
    }

    DkimResult result(Judgement judgement) {
        String prefix = tags.unfolded("b").orElse("");
        return new DkimResult(judgement.verdict, judgement.reason, name.map(KeyName::domain).orElse(""),
                name.map(KeyName::selector).orElse(""), isWord(tag("a")) ? tag("a") : "", identity,
                isBase64(prefix) ? prefix.substring(0, Math.min(PREFIX_CHARACTERS, prefix.length())) : "",
                judgement.keyBits, judgement.testing);
    }

    private void readForms(String forms) {
        int slash = forms.indexOf('/');
        Optional<Canonicalization> ofHeader = Canonicalization.of(slash < 0 ? forms : forms.substring(0, slash));
        Optional<Canonicalization> ofBody = slash < 0
                ? Optional.of(Canonicalization.SIMPLE)
                : Canonicalization.of(forms.substring(slash + 1));
        if (ofHeader.isEmpty() || ofBody.isEmpty()) {
            check(false, DkimVerdict.NEUTRAL, "the canonicalization is unknown");
        } else {
            headerForm = ofHeader.get();
            bodyForm = Optional.of(new BodyForm(ofBody.get(), number("l")));
        }
    }

    private void readTimes(long now) {
        long made = number("t").orElse(0);
        long end = number("x").orElse(Long.MAX_VALUE);
        check(made <= now + SKEW_SECONDS, DkimVerdict.PERMERROR, "the signature is of the future");
        check(end >= now - SKEW_SECONDS, DkimVerdict.PERMERROR, "the signature has expired");
        check(end >= made, DkimVerdict.PERMERROR, "the signature expires before it is made");
    }

    private String identityOf(Optional<String> written) {
        String own = name.map(KeyName::domain).orElse("");
        if (written.isEmpty()) {
            return own.isEmpty() ? "" : "@" + own;
        }
        String decoded = unquoted(written.get());
        String domain = identityDomain(decoded);
        boolean inside = domain.equals(own) || domain.endsWith("." + own);
        if (decoded.indexOf('@') < 0 || !inside || decoded.length() > MOST_IDENTITY
                || decoded.codePoints().anyMatch(Controls::isInvisible)) {
            check(false, DkimVerdict.PERMERROR, "the identity is not in the domain");
            return "";
        }
        return decoded;
    }

    private static String identityDomain(String identity) {
        String domain = identity.substring(identity.lastIndexOf('@') + 1);
        return KeyName.plain(domain).orElse("");
    }

    /// DKIM-Quoted-Printable (section 2.11): `=` and two hexadecimal digits, blanks ignored.
    private static String unquoted(String written) {
        String text = TagList.withoutBlanks(written);
        ByteArrayOutputStream octets = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            int high = text.charAt(i) == '=' && i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
            int low = high < 0 ? -1 : Character.digit(text.charAt(i + 2), 16);
            if (low >= 0) {
                octets.write(high << 4 | low);
                i += 2;
            } else {
                octets.write(text.charAt(i));
            }
        }
        return octets.toString(StandardCharsets.UTF_8);
    }

    /// A field has octets above 127 as characters of the same number.
    private static String utf8(String octets) {
        return Ascii.is(octets)
                ? octets
                : new String(octets.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static List<String> colonWords(String text) {
        return Arrays.stream(text.split(":")).map(word -> Ascii.lower(TagList.withoutBlanks(word)))
                .filter(word -> !word.isEmpty()).toList();
    }

    private byte[] base64(String tag) {
        try {
            byte[] bytes = Base64.getDecoder().decode(tags.unfolded(tag).orElse(""));
            check(bytes.length > 0, DkimVerdict.PERMERROR, "the tag \"" + tag + "\" is missing or empty");
            return bytes;
        } catch (IllegalArgumentException noBase64) {
            check(false, DkimVerdict.PERMERROR, "the tag \"" + tag + "\" is not base64");
            return NONE;
        }
    }

    /// Empty when the tag is missing.
    private OptionalLong number(String tag) {
        Optional<String> text = tags.get(tag);
        boolean good = text.isPresent() && !text.get().isEmpty()
                && text.get().chars().allMatch(c -> c >= '0' && c <= '9');
        check(good || text.isEmpty(), DkimVerdict.PERMERROR, "the tag \"" + tag + "\" is not a number");
        return !good
                ? OptionalLong.empty()
                : OptionalLong.of(text.get().length() > MOST_DIGITS ? HUGE : Long.parseLong(text.get()));
    }

    /// The value of a tag; empty also when it is missing.
    public String tag(String tag) {
        return tags.get(tag).orElse("");
    }

    /// The first check that fails is the fault.
    private void check(boolean good, DkimVerdict otherwise, String reason) {
        if (!good && fault.isEmpty()) {
            fault = Optional.of(new Judgement(otherwise, reason, 0, false));
        }
    }

    /// A short text of letters that need no quotes anywhere.
    static boolean isWord(String text) {
        return text.length() <= LONGEST_WORD && isBase64(text);
    }

    private static boolean isBase64(String text) {
        return text.chars().allMatch(c -> c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
                || "+/=-_".indexOf(c) >= 0);
    }
}
