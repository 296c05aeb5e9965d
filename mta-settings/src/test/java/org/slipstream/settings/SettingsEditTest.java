package org.slipstream.settings;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/// Changes of single settings in a file that a person has written.
class SettingsEditTest {
    private static final String FILE = """
            # My server.
            #hostname = "mx.example.org"

            [listen]
            # Programs of this machine only.
            smtp = "127.0.0.1:25"  # for now
            submission = "off"

            # The mailboxes.
            [local]
            domains = [
              "example.org",
            ]
            mailboxes = ["alice"] # hers
            """;

    @Test
    void otherLinesAndCommentsStay() {
        SettingsEdit edit = new SettingsEdit(FILE);
        assertThat(edit.set("hostname", "\"mail.example.org\"")).isTrue();
        assertThat(edit.set("listen.smtp", "\"*:25\"")).isTrue();
        assertThat(edit.set("listen.submissions", "\"*:465\"")).isTrue();
        assertThat(edit.set("local.mailboxes", "[\"alice\", \"bob\"]")).isTrue();
        assertThat(edit.set("tls.key", "\"/k\"")).isTrue();
        assertThat(edit.text()).isEqualTo("""
                # My server.
                hostname = "mail.example.org"

                [listen]
                # Programs of this machine only.
                smtp = "*:25"  # for now
                submission = "off"
                submissions = "*:465"

                # The mailboxes.
                [local]
                domains = [
                  "example.org",
                ]
                mailboxes = ["alice", "bob"] # hers

                [tls]
                key = "/k"
                """);
    }

    @Test
    void aValueOfSeveralLinesIsLeft() {
        SettingsEdit edit = new SettingsEdit(FILE);
        assertThat(edit.set("local.domains", "[]")).isFalse();
        assertThat(edit.text()).isEqualTo(FILE);
        for (String odd : new String[]{"\"a # b", "[\"a#b\"]", "\"\"\"a", "{a = 1}", "\"a\\\"b\""}) {
            SettingsEdit other = new SettingsEdit("a = " + odd);
            other.set("a", "1");
            assertThat(other.text()).as("cut in a text").isIn("a = " + odd + "\n", "a = 1\n");
        }
    }

    @Test
    void anEmptyFileGetsASection() {
        SettingsEdit edit = new SettingsEdit("");
        edit.set("local.postmaster", "\"alice\"");
        edit.set("hostname", "\"h\"");
        assertThat(edit.text()).isEqualTo("hostname = \"h\"\n\n[local]\npostmaster = \"alice\"\n");
    }
}
