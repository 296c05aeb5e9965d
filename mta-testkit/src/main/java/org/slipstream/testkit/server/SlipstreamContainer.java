package org.slipstream.testkit.server;

import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.ImageFromDockerfile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/// A mail server in a container, for Testcontainers. Its image is built from the archive of a
/// release.
///
/// ```java
/// @Container
/// static final SlipstreamContainer mta = new SlipstreamContainer().forDomain("here.example");
/// ```
///
/// The base image needs a JDK 25; `eclipse-temurin:25-jdk` is the default. Clients reach the
/// container through the engine's network, so they are strangers to the server unless
/// `relay.networks` names them.
public final class SlipstreamContainer extends GenericContainer<SlipstreamContainer> {
    private static final String BASE_IMAGE = "eclipse-temurin:25-jdk";
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int SMTP = 2525;
    private static final int SUBMISSION = 2587;
    private static final String HOME = "/var/lib/slipstream";

    private final List<String> command = new ArrayList<>();

    /// The archive that [ServerArchive] names, on the image of the environment variable
    /// `SLIPSTREAM_BASE_IMAGE` or the default one.
    public SlipstreamContainer() {
        this(ServerArchive.configured(),
                Optional.ofNullable(System.getenv("SLIPSTREAM_BASE_IMAGE")).orElse(BASE_IMAGE));
    }

    /// @param archive the file `slipstream-<version>.tar.gz`, or the folder that it unpacks to
    public SlipstreamContainer(Path archive, String baseImage) {
        super(image(archive, baseImage));
        withExposedPorts(SMTP, SUBMISSION);
        waitingFor(Wait.forLogMessage("ready .*\\n", 1));
        withSetting("listen.smtp", "0.0.0.0:" + SMTP);
        withSetting("listen.submission", "0.0.0.0:" + SUBMISSION);
    }

    /// Takes mail for every address of this domain, and delivers it to Maildirs.
    public SlipstreamContainer forDomain(String domain) {
        return withSetting("hostname", "mail." + domain).withSetting("local.domains", domain)
                .withSetting("local.mailboxes", "*");
    }

    /// One more setting, as `./mta run --set key=value` takes it.
    public SlipstreamContainer withSetting(String key, String value) {
        command.addAll(List.of("--set", key + "=" + value));
        return withCommand(command.toArray(String[]::new));
    }

    /// The port for mail from other servers, as clients on this machine reach it.
    public InetSocketAddress smtp() {
        return new InetSocketAddress(getHost(), getMappedPort(SMTP));
    }

    /// The port for mail from programs and users.
    public InetSocketAddress submission() {
        return new InetSocketAddress(getHost(), getMappedPort(SUBMISSION));
    }

    /// Waits until an address has received this number of messages, and returns them.
    ///
    /// @throws TimeoutException when they do not arrive in time
    public List<String> awaitMessages(String address, int count, Duration timeout)
            throws IOException, InterruptedException, TimeoutException {
        int at = address.lastIndexOf('@');
        String mailbox = HOME + "/mail/" + address.substring(at + 1) + "/" + address.substring(0, at) + "/new";
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            List<String> files = execInContainer("ls", mailbox).getStdout().lines().toList();
            if (files.size() >= count) {
                return files.stream().map(file -> read(mailbox + "/" + file)).toList();
            }
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(
                        address + " received " + files.size() + " of " + count + " messages:\n" + getLogs());
            }
            Thread.sleep(POLL);
        }
    }

    private String read(String file) {
        return copyFileFromContainer(file, in -> new String(in.readAllBytes(), StandardCharsets.ISO_8859_1));
    }

    private static ImageFromDockerfile image(Path archive, String baseImage) {
        boolean packed = Files.isRegularFile(archive);
        return new ImageFromDockerfile()
                .withFileFromPath(packed ? "slipstream.tar.gz" : "slipstream", archive.toAbsolutePath())
                .withDockerfileFromBuilder(file -> (packed
                        ? file.from(baseImage).add("slipstream.tar.gz", "/opt/")
                                .run("mv /opt/slipstream-* /opt/slipstream")
                        : file.from(baseImage).copy("slipstream", "/opt/slipstream")).run("mkdir -p " + HOME)
                        .entryPoint("/opt/slipstream/mta", "--home", HOME, "run").build());
    }
}
