package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.local.address.AddressBook;
import org.slipstream.local.address.AddressBook.Decision;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Aliases that a Postfix server has in files.
class AliasFilesTest {
    @TempDir
    Path home;

    @Test
    void theCustomaryFileOfADebianMachineServesItsOwnDomainAndNoVirtualOne() throws IOException {
        file("aliases", """
                # /etc/aliases
                mailer-daemon: postmaster
                root: \\root, alice@far.example
                staff: alice,
                    bob
                """);
        file("virtual", """
                shop.example anything
                info@shop.example alice@example.org
                @shop.example bob@example.org
                """);
        AddressBook book = accepted();
        assertThat(targets(book, "root@example.org")).containsExactly("root@example.org", "alice@far.example");
        assertThat(targets(book, "staff@example.org")).containsExactly("alice@example.org", "bob@example.org");
        assertThat(targets(book, "info@shop.example")).containsExactly("alice@example.org");
        assertThat(targets(book, "anyone+tag@shop.example")).containsExactly("bob@example.org");
        assertThat(targets(book, "staff@shop.example")).as("an alias of the machine")
                .containsExactly("bob@example.org");
        assertThat(decide(book, "nobody@example.org")).isInstanceOf(Decision.Unknown.class);
        assertThat(decide(book, "a%far.example@shop.example")).as("a hidden route")
                .isInstanceOf(Decision.Unknown.class);
    }

    @Test
    void anotherNameOfADomainHasItsAddressesAndNoOthers() throws IOException {
        file("aliases", "staff: alice\n");
        file("virtual", """
                @shop.example @example.org
                info@shop.example bob@example.org
                """);
        AddressBook book = accepted();
        assertThat(targets(book, "alice+tag@shop.example")).containsExactly("alice+tag@example.org");
        assertThat(targets(book, "staff@shop.example")).containsExactly("alice@example.org");
        assertThat(targets(book, "info@shop.example")).containsExactly("bob@example.org");
        assertThat(decide(book, "nobody@shop.example")).as("unknown there, too").isInstanceOf(Decision.Unknown.class);
        assertThat(decide(book, "a%far.example@shop.example")).isInstanceOf(Decision.Unknown.class);
    }

    @Test
    void anotherNameOfADomainElsewhereKeepsTheLocalPartAsItIs() throws IOException {
        file("aliases", "");
        file("virtual", "@shop.example @far.example\n");
        assertThat(targets(accepted(), "Ann@shop.example")).containsExactly("Ann@far.example");
    }

    @Test
    void namesOfDomainsHaveNoChainsAndNoLoops() throws IOException {
        file("aliases", "");
        file("virtual", "@shop.example @example.org\n@example.org @shop.example\nx@shop.example @example.org\n");
        assertThat(problems()).contains(
                "virtual:1: aliases.\"@shop.example\": example.org is itself another name of a domain; name that"
                        + " domain",
                "virtual:3: aliases.\"x@shop.example\": a whole domain is the target of a whole domain only; name an"
                        + " address");
    }

    @Test
    void anAliasOfTheSettingsIsStrongerThanOneOfAFile() throws IOException {
        file("aliases", "staff: alice\nsales: alice\n");
        file("virtual", "@shop.example alice@example.org\n");
        AddressBook book = accepted("aliases.staff=bob", "aliases.\"x@shop.example\"=bob@example.org");
        assertThat(targets(book, "staff@example.org")).containsExactly("bob@example.org");
        assertThat(targets(book, "sales@example.org")).containsExactly("alice@example.org");
        assertThat(targets(book, "x@shop.example")).containsExactly("bob@example.org");
    }

    @Test
    void eachLineThatCannotBeUsedIsNamedInOneRun() throws IOException {
        file("aliases", "news: |/usr/bin/news\nlist: :include:/etc/no-such-list\nfile: /var/mail/x\nnonsense\n");
        file("virtual", "@shop.example\nx@shop.example nobody@example.org\nx@elsewhere.example alice\n");
        assertThat(problems()).contains(
                "aliases:1: news: the target \"|/usr/bin/news\" is not supported, because mail would run programs or"
                        + " write files; name a mailbox or an address",
                "aliases:2: local.alias-files: there is no file /etc/no-such-list",
                "aliases:4: an alias is \"name: target, target\"",
                "virtual:1: a line of a map is \"name target, target\"")
                .anyMatch(each -> each.startsWith("virtual:2: ") && each.contains("neither a mailbox nor an alias"))
                .anyMatch(each -> each.startsWith("virtual:3: ") && each.contains("does not end here"));
    }

    @Test
    void aFileThatIsNotThereIsAMistakeOfTheSetting() throws IOException {
        Files.writeString(home.resolve("mta.toml"), settings());
        assertThat(problems()).anyMatch(each -> each.startsWith("mta.toml:4: ") && each.contains("aliases"));
    }

    @Test
    void tenThousandMembersAreTakenAndOneMoreIsToldWithItsLine() throws IOException {
        file("virtual", "");
        file("aliases", "few: a@far.example\nmany: :include:" + members(10_000) + "\n");
        assertThat(targets(accepted(), "many@example.org")).hasSize(10_000);
        file("aliases", "few: a@far.example\nmany: :include:" + members(100_000) + "\n");
        assertThat(problems()).singleElement().asString()
                .startsWith("aliases:2: aliases.\"many\" has more than 10000 targets");
        file("aliases", "few: a@far.example\nmany:" + " a@far.example,\n".repeat(20_000) + " b@far.example\n");
        assertThat(problems()).hasSize(1);
    }

    private Path members(int count) throws IOException {
        return Files.writeString(home.resolve("members"), IntStream.range(0, count)
                .mapToObj(number -> "m" + number + "@far.example,\n").collect(Collectors.joining()));
    }

    @Test
    void quotesKeepCommasTogetherAndManyOfThemAreNoFault() throws IOException {
        file("virtual", "");
        file("aliases", "b: a@far.example,\"\",\"x,y\"@far.example\n");
        assertThat(targets(accepted(), "b@example.org")).containsExactly("a@far.example", "\"x,y\"@far.example");
        Path list = Files.writeString(home.resolve("list"), "a@far.example," + "\"\"".repeat(200_000));
        file("aliases", "a: :include:" + list + "\n");
        assertThat(problems()).hasSize(1);
        Files.writeString(list, "a@far.example," + "\"\",".repeat(200_000) + "\"");
        assertThat(problems()).hasSize(1);
    }

    @Test
    void aChainOfAThousandAliasesIsTakenAndALongerOneIsToldWithItsPlace() throws IOException {
        file("virtual", "");
        file("aliases", chain(1_000) + "c1000: a@far.example\n");
        assertThat(problems()).singleElement().asString().startsWith("aliases:1: aliases.\"c0\" begins a chain");
        file("aliases", chain(999) + "c999: a@far.example\n");
        assertThat(targets(accepted(), "c0@example.org")).containsExactly("a@far.example");
        file("aliases", chain(20_000) + "c20000: a@far.example\n");
        assertThat(problems()).singleElement().asString()
                .isEqualTo("aliases:19001: aliases.\"c19000\" begins a chain of more than 1000 aliases");
        file("aliases", chain(20_000) + "c20000: c0\n");
        assertThat(problems()).anyMatch(each -> each.startsWith("aliases:1: ") && each.contains("alias loop: c0 → c1 →")
                && each.length() < 300);
    }

    private static String chain(int length) {
        return IntStream.range(0, length).mapToObj(number -> "c" + number + ": c" + (number + 1) + "\n")
                .collect(Collectors.joining());
    }

    @Test
    void aListThatIsNoFileIsToldAndHoldsNothingUp() throws IOException {
        file("virtual", "");
        file("aliases", "a: a@far.example\nb: :include:/dev/zero\n");
        assertThat(problems()).containsExactly(
                "aliases:2: local.alias-files: the file cannot be read: /dev/zero: not a regular file");
        file("aliases", "a: a@far.example\nb: :include:" + home + "\n");
        assertThat(problems()).singleElement().asString().endsWith("Is a directory");
    }

    private Path file(String name, String text) throws IOException {
        Files.writeString(home.resolve("mta.toml"), settings());
        return Files.writeString(home.resolve(name), text);
    }

    private static String settings() {
        return """
                [local]
                domains = ["example.org", "shop.example"]
                mailboxes = ["alice@example.org", "bob@example.org", "root@example.org"]
                alias-files = ["aliases"]
                virtual-maps = ["virtual"]
                """;
    }

    private AddressBook accepted(String... overrides) {
        ReadResult result = ConfigReader.read(SettingsSource.in(home), List.of(overrides));
        assertThat(result).as("%s", result instanceof ReadResult.Rejected(var why) ? why : "").isInstanceOf(
                ReadResult.Accepted.class);
        return ((ReadResult.Accepted) result).config().addressBook(_ -> false);
    }

    private List<String> problems() {
        return ((ReadResult.Rejected) ConfigReader.read(SettingsSource.in(home), List.of())).problems().stream()
                .map(Problem::toString).toList();
    }

    private static Decision decide(AddressBook book, String address) {
        return book.decide(Address.parse(address).orElseThrow());
    }

    private static List<String> targets(AddressBook book, String address) {
        return ((Decision.Alias) decide(book, address)).targets().stream().map(Address::toString).toList();
    }
}
