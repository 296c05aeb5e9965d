package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.guard.policy.BlockList;
import org.slipstream.guard.policy.HeaderChecks;
import org.slipstream.guard.policy.PolicySettings;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsSource;
import org.slipstream.smtpin.policy.HeaderPatterns;
import org.slipstream.smtpin.policy.Ruling;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/// The section `[policy]` and its mistakes in `mta check`.
class PolicyKeysTest {
    @TempDir
    Path home;

    @Test
    void byDefaultRatesAreLimitedAndDnsIsNotQueried() {
        Config config = accepted();
        PolicySettings policy = config.policy();
        assertThat(policy.connectionsPerMinute()).isEqualTo(120);
        assertThat(policy.messagesPerHour()).isEqualTo(3_000);
        assertThat(policy.recipientsPerHour()).isEqualTo(10_000);
        assertThat(policy.userMessagesPerHour()).isEqualTo(1_000);
        assertThat(policy.userRecipientsPerHour()).isEqualTo(5_000);
        assertThat(policy.strictTurns()).isTrue();
        assertThat(policy.greetingDelay()).isZero();
        assertThat(policy.blockLists()).isEmpty();
        assertThat(policy.senderDomain()).isFalse();
        assertThat(policy.greylisting().on()).isFalse();
        assertThat(config.headerRules()).isEmpty();
    }

    @Test
    void everythingAtOnce() throws IOException {
        write("header-checks", """
                # what we have seen enough of
                reject Subject /cheap pills/i We are not ill

                defer X-Queue: /^later$/
                tag List-Id /<a\\/b>/  list
                accept X-Trusted /yes/
                """);
        write("mta.toml", """
                [policy]
                greeting-delay = "2s"
                exempt = ["192.0.2.0/24", "2001:db8::1"]
                connections-per-minute = 0
                block-lists = ["one.example", "Two.example tag"]
                sender-domain = true
                greylisting = true
                greylist-delay = "1m"
                header-checks = "header-checks"
                """);
        Config config = accepted();
        PolicySettings policy = config.policy();
        assertThat(policy.greetingDelay()).hasSeconds(2);
        assertThat(policy.exempt()).hasSize(2);
        assertThat(policy.connectionsPerMinute()).isZero();
        assertThat(policy.blockLists()).containsExactly(new BlockList("one.example", false),
                new BlockList("two.example", true));
        assertThat(policy.senderDomain()).isTrue();
        assertThat(policy.greylisting().on()).isTrue();
        assertThat(policy.greylisting().delay()).hasMinutes(1);
        assertThat(config.headerRules()).extracting(HeaderPatterns.Rule::field,
                rule -> rule.pattern().pattern(), HeaderPatterns.Rule::ruling)
                .containsExactly(
                        tuple("Subject", "cheap pills", Ruling.reject(550, "5.7.1", "We are not ill")),
                        tuple("X-Queue", "^later$", Ruling.defer("4.7.1",
                                "Message content rejected: X-Queue header field")),
                        tuple("List-Id", "<a/b>", Ruling.tag("list")),
                        tuple("X-Trusted", "yes", Ruling.accept()));
        assertThat(config.headerRules().getFirst().pattern().matcher("CHEAP PILLS").find()).isTrue();
    }

    @Test
    void eachMistakeIsReportedWithItsLine() throws IOException {
        write("mta.toml", """
                [policy]
                greeting-delay = "2m"
                exempt = ["mail.example.org"]
                block-lists = ["list.example drop"]
                greylist-delay = "1d"
                greylistng = true
                """);
        assertThat(problems()).satisfiesExactlyInAnyOrder(
                p -> assertThat(p).startsWith("mta.toml:2: policy.greeting-delay = \"2m\" is not a duration"),
                p -> assertThat(p).startsWith("mta.toml:3: policy.exempt = \"mail.example.org\" is not a block"),
                p -> assertThat(p).startsWith("mta.toml:4: policy.block-lists = \"list.example drop\" is not a zone"),
                p -> assertThat(p).startsWith("mta.toml:5: policy.greylist-delay (1d) is not shorter than"),
                p -> assertThat(p).startsWith("mta.toml:6: unknown key \"policy.greylistng\"")
                        .contains("did you mean \"greylisting\"?"));
    }

    @Test
    void aMistakeInAHeaderCheckIsReportedWithTheLineOfItsFile() throws IOException {
        write("checks.txt", """
                reject Subject /fine/ No
                rejct Subject /pills/
                reject Subject pills
                reject Subject /(/ No
                reject Subject /x/ Gr\u00fc\u00dfe
                """);
        assertThat(problems("policy.header-checks=checks.txt")).containsExactly(
                "checks.txt:2: unknown action \"rejct\"; there are reject, defer, tag, hold, accept; did you mean \"reject\"?",
                "checks.txt:3: a header check is \"action field /pattern/ text\", for example:"
                        + " reject Subject /cheap pills/i We are not ill",
                "checks.txt:4: the pattern /(/ cannot be read: Unclosed group",
                "checks.txt:5: the text is longer than 200 characters or not ASCII");
    }

    @Test
    void reportsAboutSendersNeedSendersThatAreJudged() throws IOException {
        write("mta.toml", "[reports]\ndmarc = true\n");
        assertThat(problems()).containsExactly("mta.toml:2: reports.dmarc: there is nothing to report, because senders"
                + " are not judged; set policy.sender-authentication = \"note\"");
        assertThat(accepted("policy.sender-authentication=note").dailyReports().dmarc()).isTrue();
    }

    @Test
    void theDocumentationHasAnExampleOfEachAction() throws IOException {
        String page = Files.readString(Path.of("../docs/security.md"));
        assertThat(HeaderChecks.Action.words()).allSatisfy(word -> assertThat(page).contains("\n" + word + " "));
    }

    @Test
    void aFileOfHeaderChecksThatIsNotThereIsAMistake() throws IOException {
        write("mta.toml", "[policy]\nheader-checks = \"gone\"\n");
        assertThat(problems()).singleElement().asString()
                .startsWith("mta.toml:2: policy.header-checks: there is no file");
    }

    private void write(String name, String text) throws IOException {
        Files.write(home.resolve(name), text.getBytes(StandardCharsets.UTF_8));
    }

    private Config accepted(String... settings) {
        return ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), "box.example.net",
                Arrays.asList(settings))).config();
    }

    private List<String> problems(String... settings) {
        return ((ReadResult.Rejected) ConfigReader.read(SettingsSource.in(home), "box.example.net",
                Arrays.asList(settings))).problems()
                .stream().map(Problem::toString).toList();
    }
}
