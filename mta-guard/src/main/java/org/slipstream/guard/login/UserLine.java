package org.slipstream.guard.login;

import org.slipstream.core.Address;
import org.slipstream.core.sasl.SaslPrep;
import org.slipstream.core.sasl.ScramKeys;
import org.slipstream.core.text.Controls;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A user as a line of the file: words between blanks.
///
/// ```
/// alice $argon2id$v=19$m=19456,t=2,p=1$…$… SCRAM-SHA-256$100000:…$…:… alice@here.example,@lists.example
/// ```
///
/// The third word may be `-`, for passwords that come from elsewhere as an Argon2id hash alone.
final class UserLine {
    private static final String NONE = "-";
    private static final int LONGEST_NAME = 255;

    private UserLine() {}

    sealed interface ParsedUser {
        record Good(User user) implements ParsedUser {}

        /// @param what the sentence for the operator, without a file name
        record Wrong(String what) implements ParsedUser {}
    }

    static String of(User user) {
        return user.name() + " " + user.hash().text() + " " + user.scram().map(ScramText::of).orElse(NONE) + " "
                + (user.addresses().isEmpty() ? NONE : String.join(",", user.addresses()));
    }

    static ParsedUser read(String line) {
        String[] words = line.strip().split("\\s+");
        if (words.length != 4) {
            return new ParsedUser.Wrong(
                    "a line has four words, \"name hash scram addresses\", and this one " + words.length);
        }
        Optional<String> unfit = unfitName(words[0]);
        if (unfit.isPresent()) {
            return new ParsedUser.Wrong(unfit.get());
        }
        Optional<PasswordHash> hash = PasswordHash.parse(words[1]);
        if (hash.isEmpty()) {
            return new ParsedUser.Wrong(
                    "the second word is not an Argon2id hash \"$argon2id$v=19$m=…,t=…,p=…$salt$hash\""
                            + " of at most 64 MiB and 16 rounds; \"mta user passwd " + words[0] + "\" makes one");
        }
        Optional<ScramKeys> scram = ScramText.parse(words[2]);
        if (scram.isEmpty() && !words[2].equals(NONE)) {
            return new ParsedUser.Wrong(
                    "the third word is neither \"-\" nor \"SCRAM-SHA-256$iterations:salt$stored:server\""
                            + " with at least 4096 iterations");
        }
        return addresses(words[0], hash.get(), scram, words[3]);
    }

    private static ParsedUser addresses(String name, PasswordHash hash, Optional<ScramKeys> scram, String word) {
        List<String> addresses = new ArrayList<>();
        for (String each : word.equals(NONE) ? new String[0] : word.split(",")) {
            Optional<String> address = address(each);
            if (address.isEmpty()) {
                return new ParsedUser.Wrong("\"" + each + "\" is not an address, \"@domain\" or \"*\"");
            }
            addresses.add(address.get());
        }
        return new ParsedUser.Good(new User(name, hash, scram, addresses));
    }

    /// In the form in which addresses are compared; empty for an invalid address.
    static Optional<String> address(String text) {
        if (text.equals(User.EVERY_ADDRESS)) {
            return Optional.of(text);
        }
        if (text.startsWith("@")) {
            return Address.isDomain(text.substring(1)) ? Optional.of(text.toLowerCase(Locale.ROOT)) : Optional.empty();
        }
        // A comma or a blank in a quoted local part would end the word.
        boolean oneWord = text.chars().noneMatch(c -> c == ',' || Character.isWhitespace(c));
        return oneWord
                ? Address.parse(text).map(address -> address.folded().key())
                : Optional.empty();
    }

    /// Why a name cannot be a user's name.
    static Optional<String> unfitName(String name) {
        boolean unfit = name.isEmpty() || name.length() > LONGEST_NAME || name.startsWith("#")
                || name.codePoints().anyMatch(c -> Character.isWhitespace(c) || Controls.isInvisible(c));
        if (unfit) {
            return Optional.of("a name has 1 to " + LONGEST_NAME + " visible characters and begins with no \"#\"");
        }
        return SaslPrep.text(name).equals(name)
                ? Optional.empty()
                : Optional.of("the name has to be written \"" + SaslPrep.text(name) + "\" (NFKC)");
    }
}
