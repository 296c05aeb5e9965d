package org.slipstream.events.bounce;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;
import org.slipstream.core.text.WholeWords;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// One line of a table of bounce classes.
///
/// @param code of three digits, an `x` stands for any digit; `*` for any code
/// @param status an enhanced status, an `x` stands for any number; `*` for any, and for none
/// @param words that the text has, in this order, each as whole words, in lower case; empty for any text
/// @param example a reply that the rule is for
record BounceRule(BounceClass bounceClass, String code, String status, List<String> words, String example) {
    BounceRule {
        words = List.copyOf(words);
    }

    /// @param text of the reply in lower case
    boolean fits(Reply reply, String text) {
        return fits(code, Integer.toString(reply.code())) && hasStatus(reply.status()) && hasWords(text);
    }

    private static boolean fits(String form, String digits) {
        if (form.equals("*")) {
            return true;
        }
        for (int i = 0; i < form.length(); i++) {
            if (form.charAt(i) != 'x' && form.charAt(i) != digits.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private boolean hasStatus(Optional<EnhancedStatus> reply) {
        if (status.equals("*")) {
            return true;
        }
        if (reply.isEmpty()) {
            return false;
        }
        String[] form = status.split("\\.");
        return isNumber(form[0], reply.get().category()) && isNumber(form[1], reply.get().subject())
                && isNumber(form[2], reply.get().detail());
    }

    private static boolean isNumber(String form, int number) {
        return form.equals("x") || form.equals(Integer.toString(number));
    }

    private boolean hasWords(String text) {
        int from = 0;
        for (String each : words) {
            int at = WholeWords.indexOf(text, each, from);
            if (at < 0) {
                return false;
            }
            from = at + each.length();
        }
        return true;
    }

    static String lower(Reply reply) {
        return reply.text().toLowerCase(Locale.ROOT);
    }
}
