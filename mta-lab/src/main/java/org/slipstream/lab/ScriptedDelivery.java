package org.slipstream.lab;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;
import org.slipstream.sink.script.Reaction;
import org.slipstream.sink.script.ScriptPhase;
import org.slipstream.sink.script.ScriptSession;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/// The answer of a scripted server to one delivery: MAIL, RCPT for each recipient, DATA and the
/// content, decided in the moment in which the delivery is sent.
///
/// @param replies for each recipient, in order
/// @param delayMillis the waits of the script together
/// @param breaks whether the connection ends without a reply
/// @param closes whether the connection ends after the replies
record ScriptedDelivery(List<Reply> replies, long delayMillis, boolean breaks, boolean closes) {
    /// The simulated client, which has one address.
    static final String CLIENT = "192.0.2.1";

    private static final Reply ACCEPTED = Reply.of(250, "2.0.0", "Ok: queued");

    static ScriptedDelivery of(ScriptSession session, String sender, List<String> recipients, long nowMillis) {
        return new Dialogue(session, nowMillis, recipients).run(sender, recipients);
    }

    /// The reply of a reaction: code, enhanced status if there is one, and text.
    static Reply reply(Reaction reaction) {
        List<String> lines = Arrays.stream(reaction.reply().orElseThrow().split("\r\n"))
                .map(line -> line.substring(Math.min(4, line.length()))).toList();
        int code = Integer.parseInt(reaction.reply().get().substring(0, 3));
        String[] words = lines.getFirst().split(" ", 2);
        if (!words[0].matches("[245]\\.[0-9]{1,3}\\.[0-9]{1,3}")) {
            return new Reply(code, Optional.empty(), lines);
        }
        EnhancedStatus status = EnhancedStatus.of(words[0]);
        return new Reply(code, Optional.of(status), lines.stream()
                .map(line -> line.startsWith(words[0]) ? line.substring(words[0].length()).strip() : line).toList());
    }

    /// One pass through the commands. Ends where the script ends the session.
    private static final class Dialogue {
        private final ScriptSession session;
        private final long nowMillis;
        private final List<Reply> replies;
        private long delayMillis;
        private boolean breaks;
        private boolean closes;

        Dialogue(ScriptSession session, long nowMillis, List<String> recipients) {
            this.session = session;
            this.nowMillis = nowMillis;
            this.replies = new ArrayList<>(Collections.nCopies(recipients.size(), ACCEPTED));
        }

        ScriptedDelivery run(String sender, List<String> recipients) {
            if (passes(ScriptPhase.MAIL, sender) && recipientsPass(recipients) && passes(ScriptPhase.DATA, "")) {
                passes(ScriptPhase.CONTENT, accepted(recipients));
            }
            return new ScriptedDelivery(replies, delayMillis, breaks, closes);
        }

        private String accepted(List<String> recipients) {
            return String.join(",", IntStream.range(0, recipients.size()).filter(i -> replies.get(i).isPositive())
                    .mapToObj(recipients::get).toList());
        }

        private boolean recipientsPass(List<String> recipients) {
            for (int i = 0; i < recipients.size(); i++) {
                Reaction reaction = react(ScriptPhase.RCPT, recipients.get(i));
                if (!reaction.goesOn()) {
                    return ends(reaction);
                }
                if (reaction.refuses()) {
                    replies.set(i, reply(reaction));
                }
            }
            return replies.stream().anyMatch(Reply::isPositive);
        }

        private boolean passes(ScriptPhase phase, String argument) {
            Reaction reaction = react(phase, argument);
            if (!reaction.goesOn() || reaction.closeAfter() >= 0) {
                return ends(reaction);
            }
            if (reaction.refuses()) {
                refuseAll(reaction);
                return false;
            }
            return true;
        }

        private Reaction react(ScriptPhase phase, String argument) {
            Reaction reaction = session.at(phase, argument, nowMillis);
            delayMillis += reaction.delay().toMillis();
            return reaction;
        }

        private boolean ends(Reaction reaction) {
            if (reaction.refuses()) {
                refuseAll(reaction);
                closes = true;
            } else {
                breaks = true;
            }
            return false;
        }

        private void refuseAll(Reaction reaction) {
            replies.replaceAll(each -> each.isPositive() ? reply(reaction) : each);
        }
    }
}
