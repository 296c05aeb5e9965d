package org.slipstream.events.bounce;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.core.Reply;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.Problem;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

class BounceClassesTest {
    private final Complaints complaints = new Complaints();

    static List<BounceRule> rules() {
        return BounceClasses.rulesOfProgram();
    }

    /// An earlier rule that takes the example of a later one makes it useless, or names another class.
    @ParameterizedTest
    @MethodSource("rules")
    void eachRuleDecidesItsExample(BounceRule rule) {
        assertThat(BounceClasses.ofProgram().of(rule.example())).isEqualTo(rule.bounceClass());
    }

    @Test
    void eachClassHasARule() {
        Set<BounceClass> named = rules().stream().map(BounceRule::bounceClass).collect(Collectors.toSet());
        assertThat(named).isEqualTo(EnumSet.complementOf(EnumSet.of(BounceClass.UNCATEGORIZED)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            invalid-recipient | 550 5.1.1 <no@example.net>: Recipient address rejected: User unknown in local recipient table
            invalid-recipient | 550 5.4.1 Recipient address rejected: Access denied, no such recipient
            spam-block        | 554 5.7.1 <a@b>: Recipient address rejected: blocked using zen.spamhaus.org
            quota-issues      | 552-5.2.2 The recipient's inbox is out of storage space
            uncategorized     | 250 2.0.0 OK
            uncategorized     | hello
            uncategorized     | 999 5.1.1 no
            transient-failure | 421 Service not available
            """)
    void repliesOfOthers(String word, String reply) {
        assertThat(BounceClasses.ofProgram().of(reply).word()).isEqualTo(word);
    }

    @Test
    void aWordIsNoPartOfAnother() {
        assertThat(BounceClasses.ofProgram().of(Reply.of(450, "4.3.0", "curled"))).isEqualTo(
                BounceClass.TRANSIENT_FAILURE);
    }

    private BounceClasses read(String text) {
        return BounceClasses.read(text.lines().toList(), "bounces.txt", complaints);
    }

    @Test
    void theRulesOfTheAdministratorComeFirst() {
        BounceClasses classes = read("""
                # ours
                policy-related | 550 | 5.1.1 | closed * night | 550 5.1.1 Closed at night

                """);
        assertThat(complaints.inOrder()).isEmpty();
        assertThat(classes.of("550 5.1.1 We are closed until the night ends")).isEqualTo(BounceClass.POLICY_RELATED);
        assertThat(classes.of("550 5.1.1 At night we are closed")).isEqualTo(BounceClass.INVALID_RECIPIENT);
    }

    @Test
    void eachMistakeIsToldWithItsLine() {
        read("""
                invalid-recipient | 550 | * | no
                invalid-recipent | 550 | * | no | 550 no
                invalid-recipient | 55 | * | no | 550 no
                invalid-recipient | 550 | 5.1 | no | 550 no
                invalid-recipient | 550 | * | yes | 550 no
                """);
        assertThat(complaints.inOrder()).extracting(Problem::line).containsExactly(1, 2, 3, 4, 5);
        assertThat(complaints.inOrder().get(1).toString()).contains("did you mean \"invalid-recipient\"?");
        assertThat(complaints.inOrder().get(4).toString()).contains("does not fit its example");
    }

    @Test
    void moreRulesThanTheLimitAreAMistake() {
        String rule = "policy-related | 550 | * | odd | 550 odd\n";
        assertThat(read(String.join("", Collections.nCopies(BounceClasses.MOST_RULES, rule))).of("550 odd"))
                .isEqualTo(BounceClass.POLICY_RELATED);
        assertThat(complaints.inOrder()).isEmpty();
        read(String.join("", Collections.nCopies(BounceClasses.MOST_RULES + 1, rule)));
        assertThat(complaints.inOrder()).hasSize(1);
    }
}
