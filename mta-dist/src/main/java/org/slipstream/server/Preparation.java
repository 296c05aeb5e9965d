package org.slipstream.server;

import org.slipstream.auth.dkim.SigningKeys;
import org.slipstream.config.Config;
import org.slipstream.core.Address;
import org.slipstream.core.DataSize;
import org.slipstream.core.FailureWords;
import org.slipstream.events.feedback.SealedText;
import org.slipstream.guard.dkim.KeyFolder;
import org.slipstream.guard.login.DovecotLogins;
import org.slipstream.guard.login.DovecotMailboxes;
import org.slipstream.guard.login.MailboxLookup;
import org.slipstream.guard.login.SecretFile;
import org.slipstream.guard.login.UserFile;
import org.slipstream.guard.login.UserFileException;
import org.slipstream.guard.login.Users;
import org.slipstream.guard.tls.FreshContexts;
import org.slipstream.guard.tls.TlsContexts;
import org.slipstream.guard.tls.TlsFailure;
import org.slipstream.local.address.AddressBook;
import org.slipstream.local.address.Srs;
import org.slipstream.local.address.ThisMachine;
import org.slipstream.local.program.ProgramUser;
import org.slipstream.server.intake.Services;
import org.slipstream.server.report.ReportTemplates;
import org.slipstream.server.route.SmartHosts;
import org.slipstream.settings.AccessRemedy;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.smtpout.wire.ProxyExit;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.postgres.UnreachableException;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

/// Everything that a start needs besides spool and ports: certificates, logins at smart hosts,
/// users, folders. `run` and `check` use the same code, so both find the same mistakes, and all
/// checks run before anything is reported.
///
/// A **mistake** prevents the start. A **remark** does not: the server works, but some mail will
/// not be accepted or delivered. Each is a sentence with the place, the key, the fault, and the
/// remedy.
///
/// `check` changes nothing. It creates no certificate, takes no lock, and does not report a port in
/// use, because a running server of the same home holds its ports.
final class Preparation {
    private static final String UNIX = "unix:";
    private static final int PROXY_MILLIS = 5_000;
    /// The types of file systems that look writable to root and take no folder.
    private static final Set<String> KERNEL = Set.of("proc", "sysfs");

    private final Config config;
    private final boolean makes;
    private final ReportTemplates templates;
    private final AccessRemedy access;
    private final List<String> mistakes = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private Optional<Supplier<SSLContext>> tls = Optional.empty();
    private Optional<ClientConfig> client = Optional.empty();
    private Optional<Users> users = Optional.empty();
    private SigningKeys keys = new SigningKeys(Map.of());
    private Optional<Srs> srs = Optional.empty();
    private Optional<SealedText> seal = Optional.empty();

    private Preparation(Config config, boolean makes) {
        this.config = config;
        this.makes = makes;
        this.templates = ReportTemplates.in(config.home());
        this.access = new AccessRemedy(config.home());
    }

    /// For a start: creates what is missing.
    static Preparation toRun(Config config) {
        Preparation preparation = new Preparation(config, true);
        preparation.prepare();
        return preparation;
    }

    /// For a check: creates nothing.
    static Preparation toCheck(Config config) {
        Preparation preparation = new Preparation(config, false);
        preparation.prepare();
        preparation.lookAtSpool();
        preparation.lookAtPorts();
        preparation.remarks.addAll(SettingsAdvice.of(config));
        return preparation;
    }

    List<String> mistakes() {
        return List.copyOf(mistakes);
    }

    List<String> remarks() {
        return List.copyOf(remarks);
    }

    void requireNoMistakes() throws StartFailure {
        if (!mistakes.isEmpty()) {
            throw new StartFailure(String.join(System.lineSeparator(), mistakes));
        }
    }

    /// Empty when no port offers TLS.
    Optional<Supplier<SSLContext>> tls() {
        return tls;
    }

    /// Present when there are no mistakes.
    ClientConfig client() {
        return client.orElseThrow();
    }

    /// Present when there are no mistakes.
    Users users() {
        return users.orElseThrow();
    }

    /// The keys that sign mail.
    SigningKeys keys() {
        return keys;
    }

    /// Empty when no mail has a trace or a link.
    Optional<SealedText> seal() {
        return seal;
    }

    /// Empty when forwarded mail keeps its sender.
    Optional<Srs> srs() {
        return srs;
    }

    ReportTemplates templates() {
        return templates;
    }

    private void prepare() {
        unusable(config.home()).ifPresent(why -> mistakes.add("--home: " + why));
        unusable(config.spool().directory()).ifPresent(why -> mistake("spool.directory", why));
        unusable(config.local().maildir()).ifPresent(why -> remark("local.maildir", why));
        config.shard().folders().forEach(
                folder -> unusable(folder).ifPresent(why -> mistake("shard.folders", why)));
        config.operation().groupSocket().map(socket -> Objects.requireNonNull(socket.getParent()))
                .filter(Files::notExists).ifPresent(folder -> mistake("admin.group-socket", "there is no folder "
                        + folder + "; make it"));
        config.operation().journal().file().flatMap(this::unwritable).ifPresent(why -> mistake("journal.file", why));
        lookAtLog();
        prepareTls();
        prepareClient();
        prepareUsers();
        prepareKeys();
        prepareSrs();
        prepareTraces();
        lookAtDovecot();
        source("smtp-client.source-address-v4", config.smtpClient().sourceAddressV4());
        source("smtp-client.source-address-v6", config.smtpClient().sourceAddressV6());
        config.programs().forEach((name, program) -> ProgramUser.trouble(program.user())
                .ifPresent(why -> remark("transport." + name + ".user", why + "; its mail waits")));
        sources();
        minimumFree();
        mistakes.addAll(templates.mistakes());
    }

    /// The fault of a folder that exists or can be created.
    private Optional<String> unusable(Path folder) {
        Path there = existing(folder);
        if (Files.isSymbolicLink(there) && Files.notExists(there)) {
            return Optional.of(there + " is a link to a place that does not exist; make it, or set another folder");
        }
        if (Files.exists(there) && !Files.isDirectory(there)) {
            return Optional.of(there + " is not a folder; move it away, or set another one");
        }
        if (KERNEL.contains(fileSystem(there))) {
            return Optional.of(there + " belongs to the kernel, so no folder can be made there; set another one");
        }
        return Files.isWritable(there) && Files.isExecutable(there)
                ? Optional.empty()
                : Optional.of(there + " is not writable for this user; change its permissions, or set another folder"
                        + access.toOwnFolder(folder));
    }

    /// The fault of a file whose folders a start makes.
    private Optional<String> unwritable(Path file) {
        return Files.isDirectory(file)
                ? Optional.of(file + " is a folder; name a file in it")
                : unusable(Objects.requireNonNull(file.toAbsolutePath().getParent()));
    }

    /// The folder, or the nearest one above it that exists.
    private static Path existing(Path folder) {
        Path above = folder.getParent();
        return above != null && Files.notExists(folder, LinkOption.NOFOLLOW_LINKS) ? existing(above) : folder;
    }

    private static String fileSystem(Path there) {
        try {
            return Files.getFileStore(there).type();
        } catch (IOException unknown) {
            return "";
        }
    }

    private void prepareTls() {
        if (!Services.offerTls(config)) {
            return;
        }
        if (!TlsContexts.areThere(config.tls(), config.home(), config.hostname())) {
            unusable(config.home().resolve("tls")).ifPresent(why -> mistake("tls.certificate", why));
            if (!makes) {
                return;
            }
        }
        try {
            tls = Optional.of(FreshContexts.open(config.tls(), config.home(), config.hostname()));
        } catch (TlsFailure failure) {
            mistake(failure.file().map(this::keyOf).orElse("tls.certificate"), String.valueOf(failure.getMessage()));
        }
    }

    private String keyOf(Path file) {
        boolean further = config.tls().further().stream()
                .anyMatch(pair -> file.equals(pair.key()) || file.equals(pair.certificate()));
        return further
                ? "tls.further"
                : config.tls().key().filter(file::equals).isPresent() ? "tls.key" : "tls.certificate";
    }

    private void prepareClient() {
        try {
            client = Optional.of(Wiring.client(config));
        } catch (StartFailure failure) {
            mistake(failure.getCause() instanceof SmartHosts.Unusable unusable
                    ? unusable.key()
                    : "smarthost.authorities",
                    String.valueOf(failure.getMessage()));
        }
    }

    private void prepareUsers() {
        UserFile file = UserFile.in(config.home());
        mistakes.addAll(file.mistakes());
        try {
            users = Optional.of(Users.open(file, config.local().subaddressDelimiter()));
            AddressBook book = config.addressBook(new ThisMachine());
            for (UserFile.UserEntry user : file.list()) {
                book.lostReports(user.addresses()).forEach(
                        why -> remarks.add(UserFile.NAME + ":" + user.line() + ": " + user.name() + ": " + why));
            }
        } catch (UserFileException | IOException reported) {
            // Reported as a mistake already.
        }
    }

    private void prepareKeys() {
        try {
            keys = KeyFolder.in(config.home()).signing();
        } catch (IOException unusable) {
            mistakes.add(FailureWords.of(unusable));
        }
    }

    private void prepareSrs() {
        try {
            srs = srs(config, makes);
        } catch (UserFileException | IOException unreadable) {
            mistake("local.srs-domain", FailureWords.of(unreadable));
        }
    }

    private void prepareTraces() {
        if (!config.feedback().needsSecrets()) {
            return;
        }
        try {
            SecretFile file = SecretFile.in(config.home(), SecretFile.TRACES);
            List<String> secrets = makes ? file.secretsOrNew() : file.secrets();
            seal = Optional.of(secrets).filter(each -> !each.isEmpty()).map(SealedText::new);
        } catch (UserFileException | IOException unreadable) {
            mistake(config.feedback().address().isPresent() ? "feedback.address" : "feedback.unsubscribe-url",
                    FailureWords.of(unreadable));
        }
    }

    /// The senders of forwarded mail by these settings.
    ///
    /// @param makes a secret when there is none
    static Optional<Srs> srs(Config config, boolean makes) throws IOException, UserFileException {
        if (config.local().srsDomain().isEmpty()) {
            return Optional.empty();
        }
        SecretFile file = SecretFile.in(config.home(), SecretFile.SRS);
        List<String> secrets = makes ? file.secretsOrNew() : file.secrets();
        return config.local().srsDomain().filter(_ -> !secrets.isEmpty())
                .map(domain -> new Srs(domain, secrets, System::currentTimeMillis));
    }

    /// A remark only: Dovecot may start later than this server.
    private void lookAtDovecot() {
        config.submission().auth().ifPresent(socket -> {
            try {
                if (DovecotLogins.probe(socket).isEmpty()) {
                    remark("submission.auth", "Dovecot offers no mechanism for logins; set auth_mechanisms there");
                }
            } catch (IOException failed) {
                remark("submission.auth", failed.getMessage() + "; no user can log in. Start Dovecot, or correct the"
                        + " unix_listener of its service auth and its permissions" + toSpeak(socket));
            }
        });
        config.operation().store().mailboxLookup().ifPresent(socket -> {
            Address postmaster = config.local().postmaster();
            try {
                if (DovecotMailboxes.probe(socket, postmaster) == MailboxLookup.Existence.UNKNOWN
                        && !config.aliases().containsKey(postmaster.key())) {
                    remark("local.postmaster", "Dovecot has no user " + postmaster
                            + ", so mail for the postmaster is refused; set a user who reads it");
                }
            } catch (IOException failed) {
                remark("local.mailbox-lookup", failed.getMessage() + "; mail for mailboxes that were not looked up"
                        + " before is deferred. Start Dovecot, or correct the unix_listener auth-userdb and its"
                        + " permissions" + toSpeak(socket));
            }
        });
    }

    private String toSpeak(String endpoint) {
        return endpoint.startsWith(UNIX) ? access.toSpeak(Path.of(endpoint.substring(UNIX.length()))) : "";
    }

    private void lookAtLog() {
        config.log().file().ifPresent(file -> {
            if (Files.isDirectory(file)) {
                mistake("log.file", file + " is a folder; name a file in it");
            } else if (Files.notExists(file)) {
                Path folder = Objects.requireNonNull(file.getParent());
                (Files.notExists(folder)
                        ? Optional.of("there is no folder " + folder + "; make it")
                        : Files.isWritable(folder)
                                ? Optional.<String>empty()
                                : Optional.of(folder + " is not writable for this user; change its permissions, or set"
                                        + " another file" + access.toOwnFile(file)))
                        .ifPresent(why -> mistake("log.file", why));
            } else if (!Files.isWritable(file)) {
                mistake("log.file", file + " is not writable for this user; change its permissions, or set another"
                        + " file. A service of systemd may write in its own folders only (LogsDirectory=)"
                        + access.toOwnFile(file));
            }
        });
    }

    private void source(String key, Optional<? extends InetAddress> address) {
        address.flatMap(own -> unbindable(new InetSocketAddress(own, 0))).ifPresent(why -> remark(key,
                why + "; connections to other servers fail until it is an address of this machine"));
    }

    /// Remarks only: a source that cannot be used suspends itself, and mail goes by the others.
    private void sources() {
        config.sources().sources().forEach((name, source) -> {
            String key = "source." + name;
            if (source.exit().isEmpty()) {
                source.addresses().forEach(address -> unbindable(new InetSocketAddress(address, 0)).ifPresent(
                        why -> remark(key + (address instanceof Inet4Address ? ".address-v4" : ".address-v6"),
                                why + "; the source suspends itself until it is an address of this machine")));
            } else if (!makes) {
                source.exit().flatMap(Preparation::unreachable).ifPresent(why -> remark(key + ".exit", why));
            }
        });
    }

    private static Optional<String> unreachable(ProxyExit proxy) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral(proxy.host()), proxy.port()), PROXY_MILLIS);
            return Optional.empty();
        } catch (IOException refused) {
            return Optional.of("the proxy " + proxy + " cannot be reached (" + refused.getMessage()
                    + "); the source suspends itself until it can");
        }
    }

    private void minimumFree() {
        Optional<DataSize> minimum = config.spool().minimumFree();
        OptionalLong size = diskBytes(config.spool().directory());
        if (minimum.isPresent() && size.isPresent() && minimum.get().bytes() > size.getAsLong()) {
            remark("spool.minimum-free",
                    "the disk of the spool is smaller than that, so no mail will be accepted; lower it");
        }
    }

    private static OptionalLong diskBytes(Path folder) {
        try {
            FileStore disk = Files.getFileStore(existing(folder));
            return OptionalLong.of(disk.getTotalSpace());
        } catch (IOException unknown) {
            return OptionalLong.empty();
        }
    }

    private void lookAtSpool() {
        if (unusable(config.spool().directory()).isPresent()) {
            return;
        }
        try {
            Spools.examine(config.spool());
        } catch (SpoolException refused) {
            boolean isOfDatabase = refused.getCause() instanceof UnreachableException;
            mistake(isOfDatabase ? "spool.database" : "spool.directory", String.valueOf(refused.getMessage()));
        }
    }

    private void lookAtPorts() {
        for (Services.Service service : Services.of(config)) {
            unbindable(service.address()).filter(why -> !why.contains("in use")).ifPresent(
                    why -> mistake("listen." + service.name(), why + "; choose another address or port"));
        }
    }

    private static Optional<String> unbindable(InetSocketAddress address) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(address);
            return Optional.empty();
        } catch (IOException refused) {
            return Optional.of("cannot use " + address.getAddress().getHostAddress()
                    + (address.getPort() == 0 ? "" : ":" + address.getPort()) + " (" + refused.getMessage() + ")");
        }
    }

    private void mistake(String key, String what) {
        mistakes.add(config.written().sentence(key, what));
    }

    private void remark(String key, String what) {
        remarks.add(config.written().sentence(key, what));
    }
}
