package org.slipstream.auth.dkim;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.auth.arc.ArcResult;
import org.slipstream.auth.arc.ArcVerdict;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.auth.dkim.TestMail.ED25519;
import static org.slipstream.auth.dkim.TestMail.RSA;

/// Two independent programs over the odd messages, both ways: they verify our signatures, and
/// we verify theirs. Debian's python3-dkim and libmail-dkim-perl.
class JudgesTest {
    private static final String PYTHON = "/usr/bin/python3";
    private static final String PERL = "/usr/bin/perl";
    private static final List<String> FORMS = List.of("simple-simple", "simple-relaxed", "relaxed-simple",
            "relaxed-relaxed");

    @TempDir
    Path folder;

    @BeforeEach
    void zone() throws IOException {
        Files.writeString(folder.resolve("zone"),
                RSA.name().dns() + "\t" + RSA.record() + "\n" + ED25519.name().dns() + "\t" + ED25519.record() + "\n");
        Files.writeString(folder.resolve("rsa.key"), RSA.pem());
        byte[] pkcs8 = Base64.getMimeDecoder().decode(ED25519.pem().replaceAll("-----.*-----", ""));
        Files.writeString(folder.resolve("ed25519.key"),
                Base64.getEncoder().encodeToString(Arrays.copyOfRange(pkcs8, pkcs8.length - 32, pkcs8.length)));
    }

    @Test
    void dkimpyVerifiesWhatWeSign() throws Exception {
        needs(PYTHON, "-c", "import dkim, nacl");
        List<String> expected = writeSigned(RSA, ED25519);
        assertThat(differences(run(PYTHON, "dkimpy.py", "verify"), expected)).isEmpty();
    }

    @Test
    void mailDkimVerifiesWhatWeSign() throws Exception {
        needs(PERL, "-MMail::DKIM::Verifier", "-e", "1");
        List<String> expected = writeSigned(RSA);
        assertThat(differences(run(PERL, "mail-dkim.pl", "verify"), expected)).allMatch(JudgesTest::isFaultOfMailDkim);
    }

    @Test
    void weVerifyWhatDkimpySigns() throws Exception {
        needs(PYTHON, "-c", "import dkim, nacl");
        writeUnsigned("rsa", "ed25519");
        run(PYTHON, "dkimpy.py", "sign");
        assertThat(refused(2 * FORMS.size() * OddMail.messages().size())).isEmpty();
    }

    @Test
    void weVerifyWhatMailDkimSigns() throws Exception {
        needs(PERL, "-MMail::DKIM::Signer", "-e", "1");
        writeUnsigned("rsa");
        run(PERL, "mail-dkim.pl", "sign");
        assertThat(refused(FORMS.size() * OddMail.messages().size()).keySet()).allMatch(JudgesTest::isFaultOfMailDkim);
    }

    @Test
    void weVerifyWhatDkimpySeals() throws Exception {
        needs(PYTHON, "-c", "import dkim, nacl");
        for (var message : OddMail.messages().entrySet()) {
            write(message.getKey(), message.getValue());
        }
        run(PYTHON, "dkimpy.py", "seal");
        List<String> wrong = new ArrayList<>();
        int count = 0;
        try (var files = Files.newDirectoryStream(folder, "*.signed")) {
            for (Path file : files) {
                count++;
                ArcResult result = ArcMail.verify(Files.readAllBytes(file), ArcMail.KEYS);
                if (result.verdict() != ArcVerdict.PASS || result.chain().size() != 2 || result.oldestPass() != 0) {
                    wrong.add(file.getFileName() + " " + result);
                }
            }
        }
        assertThat(count).isEqualTo(OddMail.messages().size());
        assertThat(wrong).isEmpty();
    }

    @Test
    void dkimpyJudgesTheChainsOfTheTestsAsWeDo() throws Exception {
        needs(PYTHON, "-c", "import dkim, nacl");
        List<String> expected = new ArrayList<>();
        for (var message : OddMail.messages().entrySet()) {
            byte[] one = ArcMail.sealed(message.getValue(), ArcMail.SetForm.of(RSA));
            byte[] two = ArcMail.sealed(one, ArcMail.SetForm.of(RSA));
            write("two-" + message.getKey(), two);
            expected.add("two-" + message.getKey() + " 0 pass");
            write("bad-" + message.getKey(), ArcMail.octets(ArcMail.text(two).replaceFirst("cv=none", "cv=none; n=x")));
            expected.add("bad-" + message.getKey() + " 0 fail");
        }
        assertThat(differences(run(PYTHON, "dkimpy.py", "chain"), expected)).isEmpty();
    }

    @Test
    void opensslReadsOurKeysAndWeReadItsOwn() throws Exception {
        needs("/usr/bin/openssl", "version");
        for (SigningKey key : List.of(RSA, ED25519)) {
            Path ours = folder.resolve("ours.pem");
            Files.writeString(ours, key.pem());
            byte[] info = Base64.getMimeDecoder()
                    .decode(output("openssl", "pkey", "-in", ours.toString(), "-pubout").replaceAll("-----.*-----",
                            ""));
            String published = key.algorithm() == DkimAlgorithm.RSA
                    ? Base64.getEncoder().encodeToString(info)
                    : Base64.getEncoder().encodeToString(Arrays.copyOfRange(info, info.length - 32, info.length));
            assertThat(key.record()).endsWith("; p=" + published);
            assertThat(output("openssl", "pkey", "-in", ours.toString())).isEqualTo(key.pem());
        }
        assertThat(output("openssl", "rsa", "-traditional", "-in", folder.resolve("rsa.key").toString()))
                .contains("BEGIN RSA PRIVATE KEY").satisfies(pem -> assertThat(read(pem)).isEqualTo(RSA.record()));
        assertThat(read(output("openssl", "genpkey", "-algorithm", "ed25519"))).startsWith("v=DKIM1; k=ed25519; p=");
        assertThat(read(output("openssl", "genrsa", "1024"))).startsWith("v=DKIM1; k=rsa; p=");
    }

    private static String read(String pem) throws IOException {
        return SigningKey.read(RSA.name(), pem).record();
    }

    private String output(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(folder.resolve("out").toFile()).start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return Files.readString(folder.resolve("out"));
    }

    /// It gives a simple body without a last line end none (RFC 6376 section 3.4.3). SMTP has no such
    /// messages.
    private static boolean isFaultOfMailDkim(String file) {
        return file.matches("no-last-line-end-.*-simple[ .].*");
    }

    private static List<String> differences(List<String> actual, List<String> expected) {
        List<String> all = new ArrayList<>(actual);
        all.removeAll(Set.copyOf(expected));
        List<String> missing = new ArrayList<>(expected);
        missing.removeAll(Set.copyOf(actual));
        all.addAll(missing);
        return all;
    }

    /// Each message with our own field, and with fields of each form.
    private List<String> writeSigned(SigningKey... keys) throws IOException {
        List<String> expected = new ArrayList<>();
        for (var message : OddMail.messages().entrySet()) {
            write(message.getKey(), TestMail.signed(message.getValue(), keys));
            for (int i = 0; i < keys.length; i++) {
                expected.add(message.getKey() + " " + i + " pass");
            }
            for (SigningKey key : keys) {
                for (String form : FORMS) {
                    String name = message.getKey() + "-" + key.algorithm().keyWord() + "-" + form;
                    write(name, signed(message.getValue(), key, form));
                    expected.add(name + " 0 pass");
                }
            }
        }
        return expected;
    }

    private static byte[] signed(byte[] message, SigningKey key, String form) {
        int body = TestMail.body(message);
        BodyHash hash = new BodyHash(Canonicalization.of(form.substring(form.indexOf('-') + 1)).orElseThrow());
        hash.update(message, body, message.length);
        return TestMail.signed(
                "v=1; z=Subject:b=3D|From:bh=3D; a=" + key.algorithm().word() + "; c=" + form.replace('-', '/')
                        + ";\r\n\td=example.org; s=" + key.name().selector()
                        + "; h=From : to:\r\n Subject : X-Odd:subject:cc; bh="
                        + Base64.getEncoder().encodeToString(hash.finish()),
                message, key);
    }

    private void writeUnsigned(String... algorithms) throws IOException {
        for (var message : OddMail.messages().entrySet()) {
            for (String algorithm : algorithms) {
                for (String form : FORMS) {
                    write(message.getKey() + "-" + algorithm + "-" + form, message.getValue());
                }
            }
        }
    }

    private Map<String, DkimResult> refused(int messages) throws IOException {
        Map<String, DkimResult> wrong = new TreeMap<>();
        int count = 0;
        try (var files = Files.newDirectoryStream(folder, "*.signed")) {
            for (Path file : files) {
                count++;
                DkimResult result = TestMail.verify(Files.readAllBytes(file), TestMail.dns(RSA, ED25519), Instant.now())
                        .getFirst();
                if (result.verdict() != DkimVerdict.PASS) {
                    wrong.put(file.getFileName().toString(), result);
                }
            }
        }
        assertThat(count).isEqualTo(messages);
        return wrong;
    }

    private void write(String name, byte[] message) throws IOException {
        Files.write(folder.resolve(name + ".eml"), message);
    }

    /// The first three words of each line.
    private List<String> run(String program, String script, String mode) throws Exception {
        Path file = folder.resolve(script);
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream("/dkim/" + script))) {
            Files.write(file, in.readAllBytes());
        }
        Process process = new ProcessBuilder(program, file.toString(), mode, folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile()).start();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        String out = Files.readString(folder.resolve("out"), StandardCharsets.ISO_8859_1);
        assertThat(process.exitValue()).as(out).isZero();
        return out.lines().filter(line -> !line.startsWith("an-old-signature") || line.matches("\\S+ [0-9]+ pass.*"))
                .map(line -> String.join(" ", List.of(line.split(" ")).subList(0, 3))).toList();
    }

    /// A missing program fails where all must be there, as in CI.
    private static void needs(String... command) throws Exception {
        boolean there = Files.isExecutable(Path.of(command[0]))
                && new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start().waitFor() == 0;
        String missing = "cannot run: " + String.join(" ", command);
        assertThat(there || !"true".equals(System.getenv("IT_REQUIRE_CLIENTS"))).as(missing).isTrue();
        Assumptions.assumeTrue(there, missing);
    }
}
