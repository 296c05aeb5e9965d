package org.slipstream.auth.arc;

import org.slipstream.auth.dkim.BodyHashes;
import org.slipstream.auth.dkim.DkimSignature;
import org.slipstream.auth.dkim.DkimSignature.Judgement;
import org.slipstream.auth.dkim.DkimSignature.SignatureKind;
import org.slipstream.auth.dkim.DkimVerdict;
import org.slipstream.auth.dkim.RawHeader;
import org.slipstream.auth.dkim.RawHeader.RawField;
import org.slipstream.auth.dkim.SignatureJudge;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.text.CommentedText;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Judges the chain of one message (RFC 8617 section 5.2): made from its header before the body is
/// hashed, and asked at the end.
///
/// **The chain.** Each server that takes part adds a set of three fields with the next number: the
/// results that it found (AAR), a signature of the message as it goes on (AMS), and a seal (AS) of all
/// sets from the first to its own. A later server may change the message, so of the message signatures
/// only the newest counts; all seals count.
///
/// **The price of a message that a stranger chooses.** The first thing that is wrong ends the work, and
/// the form of the chain is looked at first. So a forged chain costs two questions to DNS and two
/// signatures at most. Only a chain whose seals are all good costs one of each for each set, and for
/// [#MOST_OLDER] older message signatures.
public final class ArcVerifier {
    /// RFC 8617 section 4.2.1.
    static final int MOST_SETS = 50;
    /// Of all fields of a chain. A seal covers the sets below it, so the first set is hashed as often as
    /// there are seals. A set has two to four kilobytes.
    static final int MOST_OCTETS = 256 << 10;
    /// They tell who changed the message, and the chain is good without them.
    static final int MOST_OLDER = 10;
    private static final int MOST_CLAIMS = 10;

    private static final String RESULTS = "arc-authentication-results";
    private static final String MESSAGE = "arc-message-signature";
    private static final String SEAL = "arc-seal";
    private static final Pattern NUMBER = Pattern.compile("0?[1-9]|[1-4][0-9]|50");
    private static final Pattern FIRST = Pattern.compile("i ?= ?([0-9]+)");
    private static final Pattern CLAIM = Pattern.compile("[a-z][a-z0-9-]{0,31}=[a-z]{1,32}");

    private record ArcSet(RawField results, DkimSignature message, DkimSignature seal) {}

    private final RawHeader header;
    private final BodyHashes bodies;
    /// The set with the number 1 first.
    private final List<ArcSet> sets = new ArrayList<>();
    private final Optional<ArcResult> early;

    /// @param bodies takes the body before [#result]
    public ArcVerifier(RawHeader header, Instant now, BodyHashes bodies) {
        this.header = header;
        this.bodies = bodies;
        List<RawField> all = Stream.of(RESULTS, MESSAGE, SEAL).flatMap(name -> header.named(name).stream()).toList();
        this.early = all.isEmpty()
                ? Optional.of(ArcResult.without(ArcVerdict.NONE, "there is no chain"))
                : fault(all, now).map(fault -> ArcResult.without(ArcVerdict.FAIL, fault));
        if (early.isEmpty()) {
            sets.reversed().stream().limit(1 + MOST_OLDER).filter(set -> set.message.fault().isEmpty())
                    .forEach(set -> set.message.bodyForm().ifPresent(bodies::want));
        }
    }

    /// All that can be said without the body and without DNS; fills [#sets].
    private Optional<String> fault(List<RawField> all, Instant now) {
        if (all.size() > 3 * MOST_SETS) {
            return Optional.of("there are more than " + MOST_SETS + " sets");
        }
        if (all.stream().mapToInt(field -> field.to() - field.from()).sum() > MOST_OCTETS) {
            return Optional.of("the fields have more than " + MOST_OCTETS + " octets");
        }
        Map<Integer, RawField> results = new TreeMap<>();
        Map<Integer, DkimSignature> messages = new TreeMap<>();
        Map<Integer, DkimSignature> seals = new TreeMap<>();
        return numbered(RESULTS, ArcVerifier::number, field -> field, results)
                .or(() -> numbered(MESSAGE, sign -> sign.tag("i"), read(SignatureKind.ARC_MESSAGE, now), messages))
                .or(() -> numbered(SEAL, sign -> sign.tag("i"), read(SignatureKind.ARC_SEAL, now), seals))
                .or(() -> {
                    int newest = Stream.of(results, messages, seals).flatMap(each -> each.keySet().stream())
                            .max(Integer::compare).orElse(0);
                    for (int number = 1; number <= newest; number++) {
                        if (!results.containsKey(number) || !messages.containsKey(number)
                                || !seals.containsKey(number)) {
                            return Optional.of("set " + number + " is not complete");
                        }
                        sets.add(new ArcSet(results.get(number), messages.get(number), seals.get(number)));
                    }
                    return status();
                });
    }

    private Function<RawField, DkimSignature> read(SignatureKind kind, Instant now) {
        return field -> new DkimSignature(field, kind, header, now);
    }

    /// Collects the fields of a name by their numbers; returns the fault of the first that has none of its
    /// own.
    private <T> Optional<String> numbered(String name, Function<T, String> number, Function<RawField, T> reading,
            Map<Integer, T> fields) {
        for (RawField field : header.named(name)) {
            T read = reading.apply(field);
            String text = number.apply(read);
            if (!NUMBER.matcher(text).matches()) {
                return Optional.of("a field " + name + " has no number from 1 to " + MOST_SETS);
            }
            if (fields.putIfAbsent(Integer.valueOf(text), read) != null) {
                return Optional.of("two fields " + name + " have the number " + Integer.valueOf(text));
            }
        }
        return Optional.empty();
    }

    /// The number is the first part of the results.
    private static String number(RawField results) {
        int semicolon = results.value().indexOf(';');
        String first = results.value().substring(0, Math.max(0, semicolon));
        String words = CommentedText.words(first).map(each -> String.join(" ", each)).orElse("");
        Matcher number = FIRST.matcher(words);
        return number.matches() ? number.group(1) : "";
    }

    /// Each server notes how it found the chain.
    private Optional<String> status() {
        if (sets.getLast().seal.tag("cv").equals("fail")) {
            return Optional.of("the newest seal says that the chain was broken before");
        }
        for (int number = 1; number <= sets.size(); number++) {
            String expected = number == 1 ? "none" : "pass";
            if (!sets.get(number - 1).seal.tag("cv").equals(expected)) {
                return Optional.of("the seal of set " + number + " lacks \"cv=" + expected + "\"");
            }
        }
        return Optional.empty();
    }

    /// The first names at which [#result] will ask for a TXT record, so that a caller can ask early:
    /// those of the newest set, as the others are asked when it is good.
    public List<String> keyNames() {
        return early.isPresent()
                ? List.of()
                : Stream.of(sets.getLast().message, sets.getLast().seal).filter(sign -> sign.fault().isEmpty())
                        .map(sign -> sign.name().dns()).distinct().toList();
    }

    /// At the end of the body.
    public ArcResult result(DnsLookup dns) {
        if (early.isPresent()) {
            return early.get();
        }
        SignatureJudge judge = new SignatureJudge(dns, header, bodies);
        int newest = sets.size();
        Optional<ArcResult> fault = fault("the message signature", newest, judge.judge(sets.getLast().message));
        List<RawField> sealed = sets.stream()
                .flatMap(set -> Stream.of(set.results, set.message.field(), set.seal.field())).toList();
        for (int number = newest; number > 0 && fault.isEmpty(); number--) {
            // All fields of the sets below, and the two that stand before the seal in its own.
            fault = fault("the seal", number,
                    judge.judge(sets.get(number - 1).seal, sealed.subList(0, 3 * number - 1)));
        }
        return fault.orElseGet(() -> new ArcResult(ArcVerdict.PASS, "", oldestPass(judge),
                sets.reversed().stream().map(set -> set.seal.name().domain()).toList(),
                claims(sets.getLast().results.value())));
    }

    /// A policy of a verifier of DKIM, as for octets that are not signed, is a fault here: a chain that
    /// passes may outweigh other verdicts.
    private static Optional<ArcResult> fault(String signature, int number, Judgement judgement) {
        return judgement.verdict() == DkimVerdict.PASS
                ? Optional.empty()
                : Optional.of(ArcResult.without(ArcVerdict.FAIL,
                        signature + " of set " + number + ": " + judgement.reason()));
    }

    private int oldestPass(SignatureJudge judge) {
        for (int number = sets.size() - 1; number > 0; number--) {
            if (sets.size() - number > MOST_OLDER
                    || judge.judge(sets.get(number - 1).message).verdict() != DkimVerdict.PASS) {
                return number + 1;
            }
        }
        return 0;
    }

    private static List<String> claims(String results) {
        // Behind the number and the name of the server.
        return CommentedText.parts(results).stream().flatMap(List::stream).skip(2).filter(words -> !words.isEmpty())
                .map(List::getFirst).filter(word -> CLAIM.matcher(word).matches()).limit(MOST_CLAIMS).toList();
    }
}
