package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;
import org.slipstream.local.address.AddressBook;
import org.slipstream.local.address.AddressRewriting;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/// Tables of addresses as a Postfix server has them in files, read by the production reader.
class AddressTablesTest {
    @TempDir
    Path home;

    // ---- patterns

    @Test
    void theFirstPatternThatMatchesHasTheMailUnlessAnAliasOrMailboxHasIt() throws IOException {
        AddressBook book = book("""
                # comment
                /^sales-bob@/ bob
                /^sales-(.*)@(example)\\.org$/
                  $1+${2}@far.example
                !/@example\\.org$/ alice@example.org
                if /^(in|out)bound/
                /outbound-([[:digit:]]+)/i alice, team$(1)$$@far.example
                /./ bob@example.org
                endif
                """, "local.virtual-maps=regexp:table");
        assertThat(targets(book, "Sales-Bob@example.org")).containsExactly("bob@example.org");
        assertThat(targets(book, "sales-north@example.org")).containsExactly("north+example@far.example");
        assertThat(targets(book, "anyone@shop.example")).containsExactly("alice@example.org");
        assertThat(targets(book, "inbound-x@example.org")).containsExactly("bob@example.org");
        assertThat(targets(book, "outbound-12@example.org")).containsExactly("alice@example.org",
                "team12$@far.example");
        assertThat(book.decide(Address.of("OUTBOUND-12@example.org"))).as("the keys are in lower case")
                .isInstanceOf(AddressBook.Decision.Alias.class);
        assertThat(book.decide(Address.of("bob@example.org"))).isInstanceOf(AddressBook.Decision.Mailbox.class);
        assertThat(book.decide(Address.of("nobody@example.org"))).isInstanceOf(AddressBook.Decision.Unknown.class);
    }

    @Test
    void eachPatternThatCannotBeUsedIsNamedInOneRun() throws IOException {
        assertThat(problems("""
                alice bob
                /(/ bob
                /x/q bob
                /x/ $1
                /y/
                endif
                if /x/
                """, "local.virtual-maps=pcre:table"))
                .containsExactlyInAnyOrder(
                        "table:1: a line of patterns is \"/pattern/flags result\", \"if /pattern/\" or \"endif\"",
                        "table:2: the pattern /(/ cannot be read: Unclosed group",
                        "table:3: the flag \"q\" is not supported; there are imsx",
                        "table:4: the pattern has no group 1", "table:5: the pattern has no result",
                        "table:6: an \"endif\" has no \"if\"", "table:7: an \"if\" has no \"endif\"");
        assertThat(problems("", "rewrite.maps=ldap:/etc/x")).singleElement().asString()
                .contains("other kinds of tables are not supported");
    }

    // ---- rewriting

    @Test
    void anAddressIsLookedUpFromTheWholeToTheDomain() throws IOException {
        AddressRewriting rewriting = book("""
                alice@example.org a.liddell@corp.example
                bob robert
                Carol+news@example.org carol.news@corp.example
                carol@example.org carol@corp.example
                @old.example @new.example
                broken@example.org two words
                """, "rewrite.maps=table").rewriting();
        assertThat(recipient(rewriting, "Alice@Example.org")).isEqualTo("a.liddell@corp.example");
        assertThat(recipient(rewriting, "alice+tag@example.org")).isEqualTo("a.liddell+tag@corp.example");
        assertThat(recipient(rewriting, "bob@shop.example")).isEqualTo("robert@mail.example.org");
        assertThat(recipient(rewriting, "bob+x@shop.example")).isEqualTo("robert+x@mail.example.org");
        assertThat(recipient(rewriting, "bob@elsewhere.example")).isEqualTo("bob@elsewhere.example");
        assertThat(recipient(rewriting, "carol+news@example.org")).isEqualTo("carol.news@corp.example");
        assertThat(recipient(rewriting, "Anyone+x@old.example")).isEqualTo("Anyone+x@new.example");
        assertThat(recipient(rewriting, "broken@example.org")).isEqualTo("broken@example.org");
    }

    @Test
    void sendersAndRecipientsHaveTablesOfTheirOwn() throws IOException {
        Files.writeString(home.resolve("senders"), "alice@example.org office@example.org\n");
        Files.writeString(home.resolve("recipients"), "boss@example.org alice@example.org\n");
        AddressRewriting rewriting = book("office@example.org info@example.org\nboss@example.org x@example.org\n",
                "rewrite.maps=table", "rewrite.sender-maps=senders", "rewrite.recipient-maps=recipients").rewriting();
        Envelope changed = rewriting.envelope(Envelope.of(Optional.of(Address.of("alice@example.org")),
                List.of(Address.of("boss@example.org"), Address.of("bob@example.org"))));
        assertThat(changed.sender()).as("both tables, one after the other").contains(Address.of("info@example.org"));
        assertThat(changed.recipients()).containsExactly(
                new Recipient(1, Address.of("alice@example.org"), Optional.of("rfc822;boss@example.org"), Set.of()),
                new Recipient(2, Address.of("bob@example.org")));
        assertThat(rewriting.envelope(Envelope.of(Optional.empty(), List.of(Address.of("bob@example.org")))).sender())
                .as("the null sender").isEmpty();
    }

    @Test
    void headerFieldsChangeAndEverythingElseKeepsItsBytes() throws IOException {
        AddressRewriting rewriting = book("alice@example.org alice@corp.example\n", "rewrite.sender-maps=table",
                "rewrite.masquerade-domains=!lab.example.org, example.org", "rewrite.masquerade-exceptions=root")
                .rewriting();
        String header = """
                Received: by alice@example.org; now
                From: =?utf-8?Q?J=C3=BCrgen?= <alice@example.org>,\r
                 "Liddell, A." <bob@pc.example.org> (comment)
                Sender: root@pc.example.org
                Reply-To: x@a.lab.example.org
                To: alice@example.org, Friends: bob@pc.example.org;
                Cc:  carol@pc.example.org
                Subject: From: alice@example.org
                X-To: alice@example.org
                Bcc: not an address at all @@
                """.replace("\r\n", "\n").replace("\n", "\r\n");
        assertThat(header(rewriting, header)).isEqualTo("""
                Received: by alice@example.org; now
                From: =?utf-8?Q?J=C3=BCrgen?= <alice@corp.example>,
                	"Liddell, A." <bob@example.org>
                Sender: root@pc.example.org
                Reply-To: x@a.lab.example.org
                To: alice@example.org, Friends: bob@pc.example.org;
                Cc: carol@example.org
                Subject: From: alice@example.org
                X-To: alice@example.org
                Bcc: not an address at all @@
                """.replace("\n", "\r\n"));
    }

    @Test
    void aFieldOfBytesThatAreNoUtf8Stays() throws IOException {
        AddressRewriting rewriting = book("alice@example.org alice@corp.example\n", "rewrite.maps=table").rewriting();
        byte[] latin = "From: \u00e4 <alice@example.org>\r\nTo: x@far.example\r\n"
                .getBytes(StandardCharsets.ISO_8859_1);
        assertThat(rewriting.header(latin)).isEqualTo(latin);
        assertThat(header(rewriting, "From: \u00e4 <alice@example.org>\r\n"))
                .isEqualTo("From: \"\u00e4\" <alice@corp.example>\r\n");
    }

    // ---- copies

    @Test
    void copiesGoToThoseWhoAreNamedForAllForTheSenderAndForTheRecipient() throws IOException {
        Files.writeString(home.resolve("recipients"), "@example.org archive@far.example\n");
        AddressBook book = book("alice@example.org boss@far.example, log\n", "copy.always=journal@far.example",
                "copy.sender-maps=table", "copy.recipient-maps=recipients");
        Envelope copied = book.copies().added(Envelope.of(Optional.of(Address.of("Alice+x@example.org")),
                List.of(Address.of("bob@example.org"), Address.of("carol@example.org"))));
        assertThat(copied.recipients()).extracting(each -> each.address().toString()).containsExactly(
                "bob@example.org", "carol@example.org", "journal@far.example", "boss@far.example",
                "log@mail.example.org", "archive@far.example");
        assertThat(copied.recipients().subList(2, 6)).as("nobody is told of a copy that fails")
                .allMatch(each -> each.notifyOn().equals(Set.of(DsnNotify.NEVER)));
    }

    // ---- smart hosts of senders

    @Test
    void aLineOfASendersHostThatCannotBeUsedIsNamed() throws IOException {
        assertThat(problems("""
                alice smtp:host.example
                alice@example.org
                bob@example.org lmtp:unix:/x
                carol@example.org smtp:127.0.0.1:2525
                """, "smarthost.sender-maps=table")).containsExactly(
                "table:1: a line is \"user@domain host\" or \"@domain host\"",
                "table:2: a line is \"user@domain host\" or \"@domain host\"",
                "table:3: \"lmtp:unix:/x\" is not a smart host: \"[host]:port\", \"smtp:host:port\" or \"smtps:host\"",
                "table:4: 127.0.0.1:2525 is this server itself");
    }

    // ---- helpers

    // ---- mail of programs

    /// With the ten settings of docs/settings-first.md the name of the machine is no local domain, and
    /// cron writes to it.
    @Test
    void programsOfTheMachineReachThePostmasterByItsName() throws IOException {
        AddressBook book = book("", "local.postmaster=alice");
        assertThat(targets(book, "root@mail.example.org")).containsExactly("alice@example.org");
        assertThat(targets(book, "root@shop.example")).containsExactly("alice@example.org");
        assertThat(book.decide(Address.of("bob@mail.example.org")))
                .isEqualTo(new AddressBook.Decision.Mailbox(Address.of("bob@example.org")));
        assertThat(targets(book("", "aliases.root=bob@example.org"), "root@mail.example.org"))
                .containsExactly("bob@example.org");
        assertThat(book("", "routes.\"mail.example.org\"=smtp:127.0.0.1:2599").decide(
                Address.of("root@mail.example.org"))).isEqualTo(new AddressBook.Decision.Remote());
    }

    private AddressBook book(String table, String... overrides) throws IOException {
        return switch (read(table, overrides)) {
            case ReadResult.Accepted(Config config) -> config.addressBook(_ -> false);
            case ReadResult.Rejected(List<Problem> problems) -> throw new AssertionError(problems.toString());
        };
    }

    private List<String> problems(String table, String... overrides) throws IOException {
        return ((ReadResult.Rejected) read(table, overrides)).problems().stream().map(Problem::toString).toList();
    }

    private ReadResult read(String table, String... overrides) throws IOException {
        Files.writeString(home.resolve("mta.toml"), """
                hostname = "mail.example.org"
                [local]
                domains = ["example.org", "shop.example"]
                mailboxes = ["alice@example.org", "bob@example.org"]
                """);
        Files.writeString(home.resolve("table"), table);
        return ConfigReader.read(SettingsSource.in(home), List.of(overrides));
    }

    private static List<String> targets(AddressBook book, String address) {
        return ((AddressBook.Decision.Alias) book.decide(Address.of(address))).targets().stream()
                .map(Address::toString).toList();
    }

    private static String recipient(AddressRewriting rewriting, String address) {
        return rewriting.recipient(Address.of(address)).toString();
    }

    private static String header(AddressRewriting rewriting, String fields) {
        return new String(rewriting.header(fields.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
    }
}
