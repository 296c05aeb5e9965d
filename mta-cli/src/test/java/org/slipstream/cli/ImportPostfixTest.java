package org.slipstream.cli;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.TestCertificates;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/// Imports of whole `main.cf` files. A folder stands for `/etc/postfix`.
class ImportPostfixTest {
    private static final Path SAMPLES = Path.of("src/test/resources/postfix");

    @TempDir
    private Path folder;

    @BeforeEach
    void tables() throws IOException {
        Files.writeString(folder.resolve("aliases"), "root: alice\n");
        Files.writeString(folder.resolve("sasl_passwd"), "[relay.provider.example]:submission me:top secret\n"
                + "[other.example] you:word\n");
        Files.writeString(folder.resolve("vmailbox"), "alice@example.org example.org/alice/\n");
        Files.writeString(folder.resolve("virtual"), "info@shop.example alice@example.org\n");
        Files.writeString(folder.resolve("passwd"),
                "root:x:0:0::/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/sh\n");
        for (String pair : List.of("main", "a", "b")) {
            TestCertificates.writePair(pair + ".example", folder.resolve(pair + ".pem"));
        }
    }

    /// The tables and the `master.cf` of a sample that has some.
    private void filesOf(String sample) throws IOException {
        for (String name : List.of("transport", "header_checks", "sni", "master.cf", "aliases", "virtual",
                "patterns")) {
            Path file = SAMPLES.resolve(sample + "." + name);
            if (Files.exists(file)) {
                Files.writeString(folder.resolve(name),
                        Files.readString(file).replace("/etc/postfix", folder.toString()));
            }
        }
    }

    private Console.Ran run(String sample, String... more) throws IOException {
        filesOf(sample);
        Path main = folder.resolve("main.cf");
        Files.writeString(main, Files.readString(SAMPLES.resolve(sample + ".cf")).replace("/etc/postfix",
                folder.toString()));
        String[] words = new String[4 + more.length];
        System.arraycopy(new String[]{"import-postfix", main.toString(), "--users",
                folder.resolve("passwd").toString()}, 0, words, 0, 4);
        System.arraycopy(more, 0, words, 4, more.length);
        return new Console(folder).run(words);
    }

    /// `-Dslipstream.golden=write` writes the results; each was accepted by the reader.
    @ParameterizedTest
    @ValueSource(strings = {"internet-site", "satellite", "virtual", "backup-mx", "gateway", "open-gateway",
            "mistakes", "provider", "moved"})
    void theResultIsTheOneOfTheSample(String sample) throws IOException {
        Console.Ran ran = run(sample);
        assertThat(ran.exit()).as(ran.err()).isLessThan(2);
        String result = (ran.out() + "\n" + ran.err().indent(1).replaceAll("(?m)^", "#").replaceAll("#$", ""))
                .replace(folder.toString(), "/etc/postfix");
        Path golden = SAMPLES.resolve(sample + ".toml");
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(golden, result);
        } else {
            assertThat(result).isEqualTo(Files.readString(golden));
        }
    }

    @Test
    void loginsAreWrittenForTheOwnerOnlyAndNoFileIsReplaced() throws IOException {
        Path target = folder.resolve("mta.toml");
        run("satellite", "--to", target.toString());
        Path logins = folder.resolve("logins");
        assertThat(logins).content().contains("relay.provider.example:587 me top secret").doesNotContain("other");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(logins))).isEqualTo("rw-------");
        assertThat(target).content().contains("credentials = \"" + logins + "\"");
        assertThat(run("satellite", "--to", target.toString()).exit()).isEqualTo(2);
        assertThat(run("satellite", "--to", target.toString(), "--force").exit()).isLessThan(2);
    }

    @Test
    void loginsThatRootWritesBelongToTheOwnerOfTheHome() throws IOException {
        assumeThat((int) Files.getAttribute(folder, "unix:uid")).isZero();
        Files.setAttribute(folder, "unix:uid", 65534);
        run("satellite", "--to", folder.resolve("mta.toml").toString());
        assertThat(Files.getAttribute(folder.resolve("logins"), "unix:uid")).isEqualTo(65534);
    }

    @Test
    void linesThatCannotBeUsedAreLeftOutOfACopyAndTheOthersAreInUse() throws IOException {
        Path home = Files.createDirectory(folder.resolve("home"));
        run("moved", "--to", home.resolve("mta.toml").toString());
        var console = new Console(home);
        assertThat(console.run("check").err()).doesNotContain("mta.toml:");
        assertThat(console.run("address", "cron@mail.new.example").out())
                .contains("alice@mail.new.example", "discard@discard.invalid");
        assertThat(console.run("address", "sales@old.example").out())
                .contains("alice@mail.new.example");
        assertThat(console.run("address", "sales-north@new.example").out())
                .contains("alice@mail.new.example");
        assertThat(folder.resolve("virtual")).as("Postfix's own file").content()
                .isEqualTo(Files.readString(SAMPLES.resolve("moved.virtual")));
    }

    @Test
    void aMainCfThatIsMissingIsOneSentence() {
        Console.Ran ran = new Console(folder).run("import-postfix", folder.resolve("none.cf").toString());
        assertThat(ran.exit()).isEqualTo(78);
        assertThat(ran.err().lines()).singleElement().asString().contains("there is no file");
    }
}
