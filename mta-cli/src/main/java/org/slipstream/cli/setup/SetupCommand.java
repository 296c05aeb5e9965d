package org.slipstream.cli.setup;

import org.slipstream.auth.dkim.DkimAlgorithm;
import org.slipstream.auth.dkim.KeyName;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigEdit;
import org.slipstream.core.Address;
import org.slipstream.core.text.Controls;
import org.slipstream.guard.dkim.KeyFolder;
import org.slipstream.guard.dkim.KeyState;
import org.slipstream.guard.login.UserFile;
import org.slipstream.guard.login.UserFileException;
import org.slipstream.guard.tls.TlsContexts;
import org.slipstream.guard.tls.TlsFailure;
import org.slipstream.guard.zone.DomainQuestion;
import org.slipstream.guard.zone.WantedRecords;
import org.slipstream.guard.zone.WebFile;
import org.slipstream.settings.BoundedFiles;
import org.slipstream.settings.WholeFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// `setup`: all that a domain needs for mail on the Internet, but for its records in DNS, which it
/// prints.
///
/// It leaves all that is right already. So the command can be repeated, and tells the records again.
@Command(header = "Makes this server the mail server of a domain.",
        description = {
                "Writes the settings, the keys of DKIM (Ed25519 and RSA), the first user and the addresses postmaster and"
                        + " abuse, and prints the records for DNS as lines of a zone file. Lines that begin with a"
                        + " semicolon are comments: what the provider of the address has to do, and records with a"
                        + " condition (--with prints them as lines). Standard error tells what was done.",
                "It leaves all that is right already. Questions are asked at a terminal; without one, options answer them, and the"
                        + " password is the first line of standard input."},
        parameterListHeading = "%nParameters:%n",
        exitCodeList = {Exit.DONE_TEXT, " 1:a file cannot be read or written", Exit.USAGE_TEXT,
                Exit.CONFIGURATION_TEXT},
        footer = {"  mta setup example.org", "  mta setup example.org > zone",
                "  mta setup example.org --host mail.example.org --address 192.0.2.25 --user alice < password",
                "  mta setup example.org --json | jq -r '.records[].line'"})
public final class SetupCommand implements MtaAction {
    private static final String WEB = "web";
    private static final List<DkimAlgorithm> ALGORITHMS = List.of(DkimAlgorithm.RSA, DkimAlgorithm.ED25519);

    @Parameters(paramLabel = "DOMAIN", description = "the domain of the addresses, such as example.org")
    private String domain = "";

    @Option(names = "--host", paramLabel = "NAME", description = "the name of this server in DNS")
    private Optional<String> host = Optional.empty();

    @Option(names = "--address", paramLabel = "IP", description = "the public address of this server; may be repeated")
    private List<String> addresses = List.of();

    @Option(names = "--user", paramLabel = "NAME", description = "the first user, who also gets mail for postmaster")
    private Optional<String> user = Optional.empty();

    @Option(names = "--yes", description = "take each suggestion, ask nothing")
    private boolean yes;

    @Option(names = "--with", paramLabel = "NAME", split = ",",
            description = "print records with a condition as lines, because it is met: mta-sts, autoconfig, dane")
    private List<String> conditions = List.of();

    @Option(names = "--json", description = "as JSON")
    private boolean json;

    /// The steps that were done, and those that were left, as sentences.
    private final List<String> done = new ArrayList<>();
    private final List<String> left = new ArrayList<>();

    @Override
    public int run(MtaCommand mta) {
        String name = KeyName.plain(domain).filter(plain -> Address.isDomain(plain) && plain.indexOf('.') > 0)
                .orElseThrow(() -> usage("\"" + Controls.replaced(domain) + "\" is not a domain such as example.org"));
        conditions.stream().filter(each -> !SetupListing.CONDITIONS.contains(each)).findFirst().ifPresent(each -> {
            throw usage("--with: \"" + Controls.replaced(each) + "\" is none of "
                    + String.join(", ", SetupListing.CONDITIONS));
        });
        Config before = LoadedConfig.read(mta.settings(), List.of());
        SetupQuestions questions = new SetupQuestions(mta.world(), yes);
        String hostname = hostname(before, questions, name);
        List<InetAddress> own = addresses(before, questions);
        try {
            String first = user(before, questions, name);
            boolean ownLogins = before.submission().auth().isEmpty();
            boolean isNew = ownLogins && !UserFile.in(mta.home()).knows(first);
            // Before anything is written, so that a wrong password leaves no half of a server.
            String password = isNew ? PasswordSource.read(mta.world(), true) : "";
            settings(mta, before, hostname, name, first);
            addUser(mta, first, name, ownLogins, isNew, password);
            keys(mta, name);
            Config config = LoadedConfig.read(mta.settings(), List.of());
            DomainQuestion asked = DomainOptions.question(mta, config, name, own, Optional.empty(), List.of());
            WantedRecords wanted = new WantedRecords(asked, chain(config));
            Path folder = mta.home().resolve(WEB).resolve(name);
            webFiles(mta, folder, wanted);
            print(mta, new SetupListing(asked, wanted, folder, conditions));
            return Exit.DONE;
        } catch (IOException | UserFileException trouble) {
            throw new CommandFailure(Exit.NO, "mta: " + Controls.replaced(trouble instanceof UserFileException
                    ? String.valueOf(trouble.getMessage())
                    : "a file cannot be read or written: " + trouble), trouble);
        }
    }

    private static CommandFailure usage(String sentence) {
        return new CommandFailure(Exit.USAGE, "mta: " + sentence);
    }

    private String hostname(Config before, SetupQuestions questions, String name) {
        Optional<String> set = before.written().settings().stream()
                .filter(each -> each.key().equals("hostname") && isWritten(each.place())).findFirst()
                .map(_ -> before.hostname());
        String suggestion = set.orElse("mail." + name);
        String answer = set.isPresent() && host.isEmpty()
                ? suggestion
                : questions.ask(host, "--host NAME", "Name of this server in DNS", Optional.of(suggestion));
        String plain = KeyName.plain(answer).filter(each -> Address.isDomain(each) && each.indexOf('.') > 0)
                .orElseThrow(() -> usage("\"" + Controls.replaced(answer) + "\" is not a full name such as mail."
                        + name));
        if (set.isPresent() && !set.get().equalsIgnoreCase(plain)) {
            throw usage("the settings name this server " + set.get() + " already; change hostname there, or leave out"
                    + " --host");
        }
        return plain;
    }

    private static boolean isWritten(String place) {
        return !place.equals("default");
    }

    private List<InetAddress> addresses(Config before, SetupQuestions questions) {
        if (!addresses.isEmpty()) {
            return addresses.stream().map(text -> DomainOptions.literal("--address", text)).toList();
        }
        List<InetAddress> sources = DomainOptions.sources(before);
        return sources.isEmpty()
                ? Stream.of(questions
                        .ask(Optional.empty(), "--address IP", "Public address of this server", PublicAddress.find())
                        .split("[\\s,]+")).map(text -> DomainOptions.literal("--address", text)).toList()
                : sources;
    }

    /// The user of the settings is the one who gets mail for postmaster.
    private String user(Config before, SetupQuestions questions, String name) {
        Optional<String> postmaster = before.written().settings().stream()
                .filter(each -> each.key().equals("local.postmaster") && isWritten(each.place())).findFirst()
                .map(_ -> before.local().postmasterName());
        String answer = postmaster.isPresent() && user.isEmpty()
                ? postmaster.get()
                : questions.ask(user, "--user NAME", "Name of the first user", Optional.empty());
        if (Address.parse((answer.indexOf('@') > 0 ? answer : answer + "@" + name)).isEmpty()) {
            throw usage("\"" + Controls.replaced(answer) + "\" is not the name of a mailbox");
        }
        return answer;
    }

    private void settings(MtaCommand mta, Config before, String hostname, String name, String first)
            throws IOException {
        SetupSettings plan = SetupSettings.of(before, hostname, name, first);
        if (!plan.changes().isEmpty()) {
            boolean isNew = !Files.exists(mta.settings().file());
            Map<String, String> changes = plan.changes();
            switch (ConfigEdit.change(mta.settings(), new LinkedHashMap<>(changes))) {
                case ConfigEdit.ConfigEdited.Refused(List<String> why) ->
                    throw new CommandFailure(Exit.CONFIGURATION, String.join(System.lineSeparator(),
                            why.stream().map(Controls::replaced).toList()));
                case ConfigEdit.ConfigEdited.Done _ -> changes.forEach(
                        (key, value) -> done.add(mta.settings().fileName() + ": " + key + " = " + value));
            }
            if (isNew) {
                ServerOwner.give(mta.home(), mta.settings().file());
            }
        }
        left.addAll(plan.left());
    }

    private void addUser(MtaCommand mta, String first, String name, boolean ownLogins, boolean isNew, String password)
            throws IOException, UserFileException {
        UserFile users = UserFile.in(mta.home());
        String address = first.indexOf('@') > 0 ? first : first + "@" + name;
        if (!ownLogins) {
            left.add("logins are decided by Dovecot, so the user " + first + " is made there");
        } else if (isNew) {
            users.add(first, password, List.of(address));
            ServerOwner.give(mta.home(), mta.home().resolve(UserFile.NAME));
            ServerOwner.give(mta.home(), mta.home().resolve(UserFile.NAME + ".lock"));
            done.add("user " + first + " may send as " + address);
        } else {
            List<String> sendsAs = users.list().stream().filter(entry -> entry.name().equals(first)).findFirst()
                    .map(UserFile.UserEntry::addresses).orElse(List.of());
            left.add("user " + first + " is there, and may send as " + String.join(", ", sendsAs));
        }
    }

    /// Without keys before, mail was not signed, so the new ones sign at once: mail whose key is not in
    /// DNS yet counts as unsigned.
    private void keys(MtaCommand mta, String name) throws IOException {
        KeyFolder folder = KeyFolder.in(mta.home());
        List<KeyFolder.StoredKey> present = folder.keys(name);
        for (DkimAlgorithm algorithm : ALGORITHMS) {
            Optional<KeyFolder.StoredKey> there = present.stream().filter(stored -> stored.state() != KeyState.RETIRED
                    && stored.key().algorithm() == algorithm).findFirst();
            if (there.isPresent()) {
                left.add("key " + there.get().key().name().selector() + " (" + algorithm.word() + ") is there");
                continue;
            }
            Instant now = Instant.now();
            KeyName made = folder.create(name, algorithm, now).key().name();
            folder.move(made, KeyState.ACTIVE, now);
            done.add("key " + made.selector() + " (" + algorithm.word() + ") for signatures of " + name);
        }
        ServerOwner.give(mta.home(), mta.home().resolve(KeyFolder.NAME));
    }

    private static List<X509Certificate> chain(Config config) {
        try {
            return TlsContexts.chain(config.tls());
        } catch (TlsFailure later) {
            // `check` names the fault; the records do without.
            return List.of();
        }
    }

    private void webFiles(MtaCommand mta, Path folder, WantedRecords wanted) throws IOException {
        for (WebFile each : wanted.webFiles()) {
            Path file = folder.resolve(each.name());
            byte[] text = each.text().getBytes(StandardCharsets.UTF_8);
            if (!Files.exists(file)) {
                Files.createDirectories(folder);
                WholeFiles.write(file, text, "rw-r--r--");
                done.add(file + " for " + each.url());
            } else if (!Arrays.equals(BoundedFiles.bytes(file, BoundedFiles.MOST_TEXT_OCTETS), text)) {
                left.add(file + " is there and has another text");
            }
        }
        ServerOwner.give(mta.home(), mta.home().resolve(WEB));
    }

    private void print(MtaCommand mta, SetupListing listing) {
        if (json) {
            mta.world().out().println(RecordJson.write(listing.view(done, left)));
            return;
        }
        listing.lines().forEach(line -> mta.world().out().println(Controls.replaced(line)));
        done.forEach(each -> mta.world().err().println("done: " + Controls.replaced(each)));
        left.forEach(each -> mta.world().err().println("left: " + Controls.replaced(each)));
        mta.world().err().println("next: mta check, mta reload (or start the server), the lines into the zone, and"
                + " mta check --dns " + domain);
    }
}
