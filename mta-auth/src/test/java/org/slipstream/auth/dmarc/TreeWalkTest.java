package org.slipstream.auth.dmarc;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.auth.TextZone;

import static org.assertj.core.api.Assertions.assertThat;

/// The examples of RFC 9989 sections 4.10 and B.3.
class TreeWalkTest {
    private static final String ZONE = """
            _dmarc.example.com TXT v=DMARC1; p=reject
            _dmarc.signing.example.com TXT v=DMARC1; p=none
            _dmarc.bank.example TXT v=DMARC1; p=reject; psd=y
            _dmarc.giant.bank.example TXT v=DMARC1; p=quarantine
            _dmarc.own.example.com TXT v=DMARC1; p=none; psd=n
            _dmarc.suffix.test TXT v=DMARC1; p=none; psd=y
            _dmarc.two.test TXT v=DMARC1; p=none
            _dmarc.two.test TXT v=DMARC1; p=reject
            _dmarc.other.test TXT v=spf1 -all
            _dmarc.other.test TXT v=DMARC1; p=none
            """;

    @ParameterizedTest
    @CsvSource({"example.com, example.com, example.com", "signing.example.com, example.com, signing.example.com",
            "a.b.c.d.e.f.g.h.i.j.k.example.com, example.com, example.com",
            "giant.bank.example, giant.bank.example, giant.bank.example",
            "mail.giant.bank.example, giant.bank.example, giant.bank.example",
            "mail.mega.bank.example, mega.bank.example, bank.example", "bank.example, bank.example, bank.example",
            "a.own.example.com, own.example.com, own.example.com", "own.example.com, own.example.com, own.example.com",
            "suffix.test, suffix.test, suffix.test", "a.suffix.test, a.suffix.test, suffix.test",
            "c.b.a.suffix.test, a.suffix.test, suffix.test", "x.other.test, other.test, other.test"})
    void organizationAndPolicy(String domain, String organization, String policyDomain) {
        var walked = (TreeWalk.Walked.Done) new TreeWalk(TextZone.of(ZONE)).from(domain);
        assertThat(walked.organization()).isEqualTo(organization);
        assertThat(walked.policy().map(TreeWalk.FoundPolicy::domain)).contains(policyDomain);
    }

    @ParameterizedTest
    @CsvSource({"none.test", "a.b.none.test", "two.test", "test"})
    void withoutARecordADomainIsItsOwnOrganization(String domain) {
        assertThat(new TreeWalk(TextZone.of(ZONE)).from(domain)).isEqualTo(new TreeWalk.Walked.Done(domain,
                java.util.Optional.empty()));
    }

    @Test
    void aDomainOfManyLabelsTakesEightQuestions() {
        var zone = TextZone.of("");
        new TreeWalk(zone).from("a.b.c.d.e.f.g.h.i.j.mail.example.com");
        assertThat(zone.asked).containsExactly("_dmarc.a.b.c.d.e.f.g.h.i.j.mail.example.com TXT",
                "_dmarc.g.h.i.j.mail.example.com TXT", "_dmarc.h.i.j.mail.example.com TXT",
                "_dmarc.i.j.mail.example.com TXT", "_dmarc.j.mail.example.com TXT", "_dmarc.mail.example.com TXT",
                "_dmarc.example.com TXT", "_dmarc.com TXT");
        assertThat(TreeWalk.names("a.b.c.d.e.f.g.example")).as("eight labels").hasSize(8);
        assertThat(TreeWalk.names("a.b.c.d.e.f.g.h.example")).as("nine labels").hasSize(8);
    }

    @Test
    void namesAreAskedOnce() {
        var zone = TextZone.of("");
        var walk = new TreeWalk(zone);
        walk.from("a.example.com");
        walk.from("b.example.com");
        assertThat(zone.asked).hasSize(4);
    }

    @Test
    void aNameThatIsTooLongWithItsPrefixIsNotAsked() {
        var zone = TextZone.of("_dmarc.example TXT v=DMARC1; p=none");
        var name = "a.".repeat(122) + "example";
        assertThat(((TreeWalk.Walked.Done) new TreeWalk(zone).from(name)).organization()).isEqualTo("example");
        assertThat(zone.asked).hasSize(7);
    }
}
