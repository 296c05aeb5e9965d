package org.slipstream.server;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.guard.login.UserFile;
import org.slipstream.guard.tls.TlsContexts;
import org.slipstream.guard.tls.TlsSettings;
import org.slipstream.settings.SettingsSource;
import org.slipstream.testkit.TestCertificates;
import org.slipstream.testkit.UnusedPort;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A start refuses exactly the mistakes that `check` finds, in the same words.
class PreparationTest {
    private static final String HEAD = """
            hostname = "mx.here.example"
            [listen]
            smtp = "127.0.0.1:0"
            submission = "off"
            [local]
            domains = ["here.example"]
            """;
    @TempDir
    Path home;

    @Test
    void aFreshHomeHasNoMistakesAndACheckLeavesItAsItIs() throws IOException {
        Preparation looked = Preparation.toCheck(config(""));
        assertThat(looked.mistakes()).isEmpty();
        assertThat(looked.remarks()).isEmpty();
        try (var files = Files.list(home)) {
            assertThat(files).containsExactly(home.resolve("mta.toml"));
        }
    }

    @Test
    void aFileOfLoginsThatOthersMayRead() throws IOException {
        secret("logins", "relay.example alice secret\n", "rw-r--r--");
        bothSay("""
                [routes]
                "*" = "smtp:relay.example:587"
                [smarthost]
                credentials = "logins"
                """, "mta.toml:10: smarthost.credentials: ", "chmod 600");
    }

    @Test
    void aFileOfLoginsThatIsNotThereAndAHostThatIsMistyped() throws IOException {
        String settings = "[routes]\n\"*\" = \"smtp:relay.example:587\"\n[smarthost]\ncredentials = \"logins\"\n";
        bothSay(settings, "mta.toml:10: smarthost.credentials: ", "cannot be read");
        secret("logins", "rely.example alice secret\n", "rw-------");
        bothSay(settings, "mta.toml:10: smarthost.credentials: ", "rely.example", "correct its name");
    }

    @Test
    void aKeyThatBelongsToAnotherCertificate() throws Exception {
        for (String name : List.of("one", "other")) {
            TlsContexts.open(new TlsSettings(Optional.empty(), Optional.empty()), home.resolve(name),
                    "mx.here.example");
        }
        bothSay("""
                [tls]
                certificate = "one/tls/self-signed.crt"
                key = "other/tls/self-signed.key"
                """, "mta.toml:9: tls.key: ", "does not belong to the first certificate", "name its key");
    }

    @Test
    void authoritiesWithoutACertificate() throws IOException {
        Files.writeString(home.resolve("ca.pem"), "nothing\n");
        bothSay("[smarthost]\nauthorities = \"ca.pem\"\n", "mta.toml:8: smarthost.authorities: ", "ca.pem");
    }

    @Test
    void aFileInTheWayOfTheSpool() throws IOException {
        Files.writeString(home.resolve("here"), "");
        bothSay("[spool]\ndirectory = \"here/spool\"\n", "mta.toml:8: spool.directory: ", "is not a folder");
    }

    @Test
    void eachMistakeInTheFileOfUsers() throws IOException {
        secret("users", "alice\n\nbob x y z\n", "rw-------");
        Config config = config("");
        assertThat(Preparation.toCheck(config).mistakes()).satisfiesExactly(
                one -> assertThat(one).startsWith("users:1: "), three -> assertThat(three).startsWith("users:3: "));
        assertThatThrownBy(() -> Server.start(config)).isInstanceOf(StartFailure.class)
                .hasMessageContainingAll("users:1: ", "users:3: ");
    }

    /// Root may write there, and the kernel makes no folder.
    @Test
    void aSpoolThatLooksWritableAndCannotBeMade() throws IOException {
        bothSay("[spool]\ndirectory = \"/proc/spool\"\n", "mta.toml:8: spool.directory: ", "set another one");
        Files.createSymbolicLink(home.resolve("disk"), Path.of("not-mounted"));
        bothSay("[spool]\ndirectory = \"disk/spool\"\n", "mta.toml:8: spool.directory: ",
                "a link to a place that does not exist");
        bothSay("[shard]\nfolders = [\"disk\"]\n", "mta.toml:8: shard.folders: ",
                "a link to a place that does not exist");
    }

    @Test
    void aDatabaseThatDoesNotAnswer() throws IOException {
        bothSay("[spool]\nengine = \"postgresql\"\n"
                + "database = \"jdbc:postgresql://127.0.0.1:1/slipstream?user=mta&password=hush\"\n",
                "spool.database", "127.0.0.1:1/slipstream", "start it, or correct");
    }

    @Test
    void anAddressOfAnotherMachineToListenOn() throws IOException {
        Config config = config("", HEAD.replace("127.0.0.1:0", "192.0.2.1:2525"));
        assertThat(Preparation.toCheck(config).mistakes()).singleElement().asString()
                .contains("mta.toml:3: listen.smtp: ", "192.0.2.1:2525");
        assertThatThrownBy(() -> Server.start(config)).isInstanceOf(StartFailure.class)
                .hasMessageContaining("192.0.2.1");
    }

    /// A running server of this home would hold it.
    @Test
    void aPortThatIsTakenIsNoMistakeOfTheSettings() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Config config = config("", HEAD.replace("127.0.0.1:0", "127.0.0.1:" + taken.getLocalPort()));
            assertThat(Preparation.toCheck(config).mistakes()).isEmpty();
        }
    }

    @Test
    void aUserWhoseReportsWouldBeLost() throws Exception {
        UserFile.in(home).add("alice", "secret", List.of("alice@here.example", "@lists.example", "a@far.example"));
        UserFile.in(home).add("user", "secret", List.of("user@here.example", "USER+tag@here.example"));
        bothRemark("", "users:2: alice: ", "alice@here.example", "add \"alice\" to local.mailboxes");
    }

    @Test
    void aFileInTheWayOfTheMailboxes() throws IOException {
        Files.writeString(home.resolve("mail"), "");
        bothRemark("", "local.maildir: ", "is not a folder");
    }

    @Test
    void aSourceAddressOfAnotherMachine() throws IOException {
        bothRemark("[smtp-client]\nsource-address-v4 = \"192.0.2.1\"\n", "mta.toml:8: smtp-client.source-address-v4: ",
                "192.0.2.1");
    }

    @Test
    void moreFreeSpaceThanTheDiskHas() throws IOException {
        bothRemark("[spool]\nminimum-free = \"1000000GiB\"\n", "mta.toml:8: spool.minimum-free: ", "lower it");
    }

    @Test
    void aShardFolderAndTheGroupsSocketInPlacesThatCannotBe() throws IOException {
        Files.writeString(home.resolve("here"), "");
        bothSay("[shard]\nfolders = [\"here/disk\"]\n", "mta.toml:8: shard.folders: ", "is not a folder");
        bothSay("[admin]\ngroup-socket = \"none/mta.sock\"\n", "mta.toml:8: admin.group-socket: ",
                "there is no folder", "make it");
    }

    @Test
    void aCertificateOfAnotherName() throws Exception {
        TestCertificates.writePair("mx.here.example", home.resolve("own.pem"));
        TestCertificates.writePair("other.example", home.resolve("other.pem"));
        assertThat(advice("[tls]\ncertificate = \"own.pem\"\nkey = \"own.pem\"\n")).isEmpty();
        assertThat(advice("[tls]\ncertificate = \"other.pem\"\nkey = \"other.pem\"\n")).singleElement().asString()
                .contains("mta.toml:8: tls.certificate: ", "mx.here.example", "correct hostname");
    }

    @Test
    void aGeneralClauseThatTakesBackAnEarlierOne() throws IOException {
        String general = "[destination.\"*\"]\nlanes = 5\n";
        String particular = "[destination.\"big.example\"]\nlanes = 2\n";
        assertThat(advice(general + particular)).isEmpty();
        assertThat(advice(particular.replace("lanes = 2", "rate = \"1/1s\"") + general)).isEmpty();
        assertThat(advice(particular + general)).singleElement().asString()
                .contains("mta.toml:10: destination.*.lanes: ", "[destination.\"big.example\"]", "first");
    }

    @Test
    void aClauseThatNoMailReaches() throws IOException {
        String route = "[routes]\n\"far.example\" = \"smtp:relay.example:587\"\n";
        assertThat(advice(route + "[destination.\"smtp:relay.example:587\"]\nlanes = 5\n"
                + "[destination.\"mx:mx.example\"]\nlanes = 5\n")).isEmpty();
        assertThat(advice(route + "[destination.\"smtp:rely.example:587\"]\nlanes = 5\n")).singleElement().asString()
                .contains("mta.toml:10: destination.smtp:rely.example:587.lanes: ", "no route", "add the route");
        assertThat(advice("[routes]\n\"*\" = \"smtp:relay.example\"\n[destination.\"mx:mx.example\"]\nlanes = 5\n"))
                .singleElement().asString().contains("mta.toml:10: ", "no route");
        assertThat(advice("[destination.\"mx:mx.example\"]\ntransport = \"lmtp\"\n")).singleElement().asString()
                .contains("mta.toml:8: destination.mx:mx.example.transport: ", "contradict");
    }

    @Test
    void aClauseBehindOneThatEndsTheSearch() throws IOException {
        String general = "[destination.\".example\"]\ntransport = \"smtp\"\n";
        assertThat(advice(general + "[destination.\"big.example\"]\nlanes = 2\ntransport = \"smtp\"\n"))
                .singleElement().asString().contains("mta.toml:10: destination.big.example.lanes: ",
                        "[destination.\".example\"] stands before it", "first");
        assertThat(advice(general + "[destination.\"big.example\"]\nlanes = 2\n"))
                .as("mail by another transport has it").isEmpty();
        assertThat(advice(general + "[destination.\"big.test\"]\ntransport = \"smtp\"\n")).isEmpty();
    }

    @Test
    void aCopyForAMailboxThatIsNotThere() throws IOException {
        assertThat(advice("[copy]\nalways = [\"user\", \"archive@far.example\"]\n[maildrop]\n"
                + "domain = \"here.example\"\n")).isEmpty();
        assertThat(advice("[copy]\nalways = [\"archive@here.example\"]\n")).singleElement().asString()
                .contains("mta.toml:8: copy.always: ", "archive@here.example", "local.mailboxes");
    }

    @Test
    void aKeyThatTheWorldCanRead() throws Exception {
        TestCertificates.writePair("mx.here.example", home.resolve("own.pem"));
        Path key = home.resolve("own.pem");
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
        String settings = "[tls]\nfurther = [\"own.pem\"]\ncertificate = \"own.pem\"\nkey = \"own.pem\"\n";
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(advice(settings)).isEmpty();
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(advice(settings)).singleElement().asString().contains("mta.toml:10: tls.key: ",
                "chmod o-r " + key);
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
        assertThat(advice(settings)).as("the folder hides it").isEmpty();
    }

    @Test
    void aRouteToTheServersOwnName() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("0.0.0.0"))) {
            String head = HEAD.replace("127.0.0.1:0", "*:" + free.getLocalPort());
            String route = "[routes]\n\"far.example\" = \"smtp:%s:" + free.getLocalPort() + "\"\n";
            assertThat(Preparation.toCheck(config(route.formatted("mx.far.example"), head)).remarks()).isEmpty();
            assertThat(Preparation.toCheck(config(route.formatted("mx.here.example"), head)).remarks())
                    .singleElement().asString().contains("mta.toml:8: routes.far.example: ", "come back");
        }
    }

    @Test
    void aRetryPolicyThatNothingNames() throws IOException {
        String policy = "[retry.\"slow\"]\ninterval = \"1h\"\nlongest = \"2h\"\n";
        assertThat(advice(policy)).singleElement().asString().contains("mta.toml:8: retry.slow.interval: ",
                "queue.retry");
        assertThat(advice("[queue]\nretry = \"slow\"\n" + policy)).isEmpty();
        assertThat(advice(policy + "[destination.\"far.example\"]\nretry = \"slow\"\n")).isEmpty();
        assertThat(advice(policy + "[retry.\"postfix\"]\non-load = \"slow\"\n")).isEmpty();
    }

    @Test
    void aFilterThatDoesNotRun() throws IOException {
        String settings = "[policy]\nrspamd = \"http://127.0.0.1:%d\"\n";
        try (ServerSocket worker = new ServerSocket(UnusedPort.now(), 1, InetAddress.getLoopbackAddress())) {
            settings = settings.formatted(worker.getLocalPort());
            assertThat(advice(settings)).isEmpty();
        }
        assertThat(advice(settings)).singleElement().asString()
                .contains("mta.toml:8: policy.rspamd: ", "Connection refused", "deferred with 451", "start it");
        assertThat(advice(settings + "rspamd-failure = \"accept\"\n")).singleElement().asString()
                .contains("accepted without the filter");
    }

    @Test
    void aJournalThatCannotBeWritten() throws IOException {
        Files.writeString(home.resolve("here"), "");
        bothSay("[journal]\nfile = \"here/journal\"\n", "mta.toml:8: journal.file: ", "is not a folder");
        bothSay("[journal]\nfile = \".\"\n", "mta.toml:8: journal.file: ", "is a folder", "name a file");
    }

    @Test
    void aRingWithoutADestinationAndAPolicyThatOutlivesTheQueue() throws IOException {
        assertThat(advice("[ring.\"bulk\"]\nlanes = 5\n")).singleElement().asString()
                .contains("mta.toml:8: ring.bulk.lanes: ", "ring = \"bulk\"");
        assertThat(advice("[queue]\nlifetime = \"2d\"\nretry = \"slow\"\n[retry.\"slow\"]\nlifetime = \"3d\"\n"))
                .singleElement()
                .asString().contains("mta.toml:11: retry.slow.lifetime: ", "raise queue.lifetime");
    }

    @Test
    void aMailStoreThatIsNotThereAndAFilterWithTls() throws IOException {
        assertThat(advice("delivery = \"lmtp:unix:/nowhere/lmtp\"\n")).singleElement().asString()
                .contains("mta.toml:7: local.delivery: ", "/nowhere/lmtp", "start the mail store");
        assertThat(advice("[policy]\nrspamd = \"https://127.0.0.1:11333\"\n")).singleElement().asString()
                .contains("mta.toml:8: policy.rspamd: ", "http://");
    }

    /// A start does not repeat it.
    private List<String> advice(String settings) throws IOException {
        Preparation looked = Preparation.toCheck(config(settings));
        assertThat(looked.mistakes()).isEmpty();
        assertThat(Preparation.toRun(config(settings)).remarks()).isEmpty();
        return looked.remarks();
    }

    private void bothSay(String settings, String... words) throws IOException {
        Config config = config(settings);
        assertThat(Preparation.toCheck(config).mistakes()).singleElement().asString().contains(words);
        assertThatThrownBy(() -> Server.start(config)).isInstanceOf(StartFailure.class)
                .satisfies(
                        failure -> assertThat(failure.getMessage()).contains(List.of(words).subList(1, words.length)));
        assertThat(home.resolve("run")).as("nothing was begun").doesNotExist();
    }

    private void bothRemark(String settings, String... words) throws IOException {
        for (Preparation each : List.of(Preparation.toCheck(config(settings)), Preparation.toRun(config(settings)))) {
            assertThat(each.mistakes()).isEmpty();
            assertThat(each.remarks()).singleElement().asString().contains(words);
        }
    }

    private void secret(String name, String text, String permissions) throws IOException {
        Path file = Files.writeString(home.resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private Config config(String settings) throws IOException {
        return config(settings, HEAD);
    }

    private Config config(String settings, String head) throws IOException {
        Files.writeString(home.resolve("mta.toml"), head + settings);
        return ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), List.of())).config();
    }
}
