package org.slipstream.cli.setup;

import org.slipstream.auth.dkim.DkimAlgorithm;
import org.slipstream.auth.dkim.KeyName;
import org.slipstream.auth.dkim.SigningKey;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.FailureWords;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.text.Controls;
import org.slipstream.guard.dkim.KeyFolder;
import org.slipstream.guard.dkim.KeyFolder.StoredKey;
import org.slipstream.guard.dkim.KeyState;
import org.slipstream.guard.zone.KeyRecords;
import org.slipstream.guard.zone.WantedRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// `dkim`: the commands for the keys that sign mail. They change the files of the keys; a running
/// server sees the change.
@Command(synopsisSubcommandLabel = "COMMAND", header = "Makes and changes the keys that sign mail (DKIM).",
        description = {
                "Mail of the own users is signed when it leaves, by the keys of the domain in From. A key is a file"
                        + " dkim/DOMAIN/SELECTOR.pem of the home folder; a key from elsewhere that is copied there"
                        + " signs, too. A running server sees each change within some seconds.",
                "A new key waits (state new) until its record is in DNS and `dkim rotate` lets it sign (active)."
                        + " After that it is retired, and its record stays in DNS until the mail that it signed has"
                        + " arrived."},
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CONFIGURATION_TEXT},
        footer = {"  mta dkim new example.org", "  mta dkim rotate example.org", "  mta dkim list"})
public final class DkimCommand implements CommandGroup {
    /// Mail waits in queues of other servers for five days (RFC 5321 section 4.5.4.1), and is verified
    /// behind them.
    private static final Duration RECORD_STAYS = Duration.ofDays(7);

    private interface Work {
        int run(KeyFolder folder) throws IOException;
    }

    private record DkimKeyView(String domain, String selector, String algorithm, String state, String since,
            Optional<String> recordMayGo, String record) {}

    /// @param waiting faults of records, for which the keys do not sign yet
    private record DkimKeyViews(List<DkimKeyView> keys, List<String> waiting) {}

    private static int on(MtaCommand mta, Work work) {
        try {
            int exit = work.run(KeyFolder.in(mta.home()));
            ServerOwner.give(mta.home(), mta.home().resolve(KeyFolder.NAME));
            return exit;
        } catch (IOException trouble) {
            throw new CommandFailure(Exit.NO, "mta: " + Controls.replaced(FailureWords.of(trouble)), trouble);
        }
    }

    private static String domain(String text) {
        return KeyName.plain(text).orElseThrow(() -> new CommandFailure(Exit.USAGE,
                "mta: \"" + Controls.replaced(text) + "\" is not a domain"));
    }

    private static void say(MtaCommand mta, String sentence) {
        mta.world().out().println(Controls.replaced(sentence));
    }

    private static void json(MtaCommand mta, List<StoredKey> keys, List<String> waiting) {
        mta.world().out().println(RecordJson.write(
                new DkimKeyViews(keys.stream().map(DkimCommand::view).toList(), waiting)));
    }

    private static DkimKeyView view(StoredKey stored) {
        SigningKey key = stored.key();
        return new DkimKeyView(key.name().domain(), key.name().selector(), key.algorithm().keyWord(),
                SettingsRecords.word(stored.state()), stored.since().toString(),
                stored.state() == KeyState.RETIRED ? Optional.of(end(stored).toString()) : Optional.empty(),
                line(key));
    }

    private static String line(SigningKey key) {
        return WantedRecord.line(key.name().dns(), RecordType.TXT, key.record());
    }

    private static Instant end(StoredKey retired) {
        return retired.since().plus(RECORD_STAYS);
    }

    private static void sayRecords(MtaCommand mta, String domain, List<StoredKey> keys) {
        say(mta, "; for the zone of " + domain);
        keys.forEach(stored -> say(mta, line(stored.key())));
    }

    private static List<StoredKey> in(List<StoredKey> keys, KeyState state) {
        return keys.stream().filter(stored -> stored.state() == state).toList();
    }

    private static String names(List<StoredKey> keys) {
        return String.join(", ", keys.stream().map(stored -> stored.key().name().selector()).toList());
    }

    @Command(header = "Makes keys for a domain and prints their records.",
            description = {
                    "The keys do not sign yet. The lines that are printed are for the zone of the domain; when DNS"
                            + " has them, `dkim rotate` lets the keys sign.",
                    "Two keys of two algorithms are usual: each verifier knows RSA, and Ed25519 is short."},
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT},
            footer = {"  mta dkim new example.org", "  mta dkim new example.org --selector mail --algorithm rsa"})
    public static final class NewKeys implements MtaAction {
        @Parameters(paramLabel = "DOMAIN", description = "the domain in From")
        private String domain;

        @Option(names = "--selector", paramLabel = "NAME",
                description = "the name of the key; with both algorithms NAME-rsa and NAME-ed25519; default: a letter"
                        + " and the day")
        private Optional<String> selector = Optional.empty();

        @Option(names = "--algorithm", paramLabel = "NAME", defaultValue = "both",
                description = "rsa (2048 bits), ed25519, or both; default: both")
        private String algorithm;

        @Option(names = "--json", description = "as JSON")
        private boolean json;

        @Override
        public int run(MtaCommand mta) {
            String own = domain(domain);
            List<DkimAlgorithm> wanted = Arrays.stream(DkimAlgorithm.values())
                    .filter(each -> algorithm.equals("both") || algorithm.equals(each.keyWord())).toList();
            if (wanted.isEmpty()) {
                throw new CommandFailure(Exit.USAGE, "mta: --algorithm: \"" + Controls.replaced(algorithm)
                        + "\" is not rsa, ed25519 or both");
            }
            return on(mta, folder -> {
                List<StoredKey> made = new ArrayList<>();
                for (DkimAlgorithm each : wanted) {
                    made.add(create(folder, own, each, wanted.size() > 1));
                }
                if (json) {
                    json(mta, made, List.of());
                } else {
                    sayRecords(mta, own, made);
                    say(mta, "; then: mta dkim rotate " + own);
                }
                return Exit.DONE;
            });
        }

        private StoredKey create(KeyFolder folder, String own, DkimAlgorithm each, boolean several)
                throws IOException {
            if (selector.isEmpty()) {
                return folder.create(own, each, Instant.now());
            }
            String name = selector.get() + (several ? "-" + each.keyWord() : "");
            return folder.create(KeyName.of(own, name).filter(one -> one.selector().equals(name))
                    .orElseThrow(() -> new CommandFailure(Exit.USAGE, "mta: --selector: \"" + Controls.replaced(name)
                            + "\" is not a name of small letters, digits, \"-\", \"_\" and dots")),
                    each, Instant.now());
        }
    }

    @Command(header = "Lists the keys, their states and since when.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT},
            footer = {"  mta dkim list", "  mta dkim list example.org --json"})
    public static final class KeyListing implements MtaAction {
        @Parameters(paramLabel = "DOMAIN", arity = "0..1", description = "of this domain only")
        private Optional<String> domain = Optional.empty();

        @Option(names = "--json", description = "as JSON, with the records")
        private boolean json;

        @Override
        public int run(MtaCommand mta) {
            Optional<String> own = domain.map(DkimCommand::domain);
            return on(mta, folder -> {
                List<StoredKey> keys = own.isPresent() ? folder.keys(own.get()) : folder.keys();
                if (json) {
                    json(mta, keys, List.of());
                } else if (keys.isEmpty()) {
                    say(mta, "there are no keys, so mail is not signed");
                } else {
                    Table table = new Table("DOMAIN", "SELECTOR", "ALGORITHM", "STATE", "SINCE");
                    keys.stream().map(DkimCommand::view).forEach(key -> table.add(key.domain(), key.selector(),
                            key.algorithm(), key.state(), key.since()));
                    table.lines().forEach(line -> say(mta, line));
                }
                return Exit.DONE;
            });
        }
    }

    @Command(header = "Lets the new keys of a domain sign, and retires the old ones.",
            description = "Without new keys, such are made. New keys sign only when DNS has their records; until then the"
                    + " command tells what is missing and changes nothing.",
            exitCodeList = {Exit.DONE_TEXT, " 1:the keys do not sign yet, because DNS has not their records",
                    Exit.USAGE_TEXT, Exit.CONFIGURATION_TEXT},
            footer = {"  mta dkim rotate example.org", "  mta dkim rotate example.org --resolver 192.0.2.53"})
    public static final class Rotating implements MtaAction {
        @Parameters(paramLabel = "DOMAIN", description = "the domain in From")
        private String domain;

        @Option(names = "--force", description = "without asking DNS")
        private boolean force;

        @Option(names = "--resolver", paramLabel = "ADDRESS[:PORT]",
                description = "the name server to ask; may be repeated; default: smtp-client.dns-servers")
        private List<String> resolvers = List.of();

        @Option(names = "--json", description = "as JSON")
        private boolean json;

        @Override
        public int run(MtaCommand mta) {
            String own = domain(domain);
            return on(mta, folder -> {
                List<StoredKey> present = folder.keys(own);
                List<StoredKey> fresh = in(present, KeyState.NEW);
                List<StoredKey> made = fresh.isEmpty() ? make(folder, own, present) : List.of();
                List<StoredKey> next = fresh.isEmpty() ? made : fresh;
                List<String> faults = force ? List.of() : faults(mta, next);
                if (!faults.isEmpty()) {
                    return waiting(mta, own, next, faults);
                }
                List<StoredKey> changed = folder.rotate(own, Instant.now());
                if (json) {
                    json(mta, changed, List.of());
                    return Exit.DONE;
                }
                say(mta, "mail from " + own + " is signed by " + names(in(changed, KeyState.ACTIVE)));
                in(changed, KeyState.RETIRED).forEach(stored -> sayRetired(mta, stored));
                return Exit.DONE;
            });
        }

        private static List<StoredKey> make(KeyFolder folder, String own, List<StoredKey> present)
                throws IOException {
            Set<DkimAlgorithm> wanted = EnumSet.noneOf(DkimAlgorithm.class);
            in(present, KeyState.ACTIVE).forEach(stored -> wanted.add(stored.key().algorithm()));
            List<StoredKey> made = new ArrayList<>();
            for (DkimAlgorithm each : wanted.isEmpty() ? EnumSet.allOf(DkimAlgorithm.class) : wanted) {
                made.add(folder.create(own, each, Instant.now()));
            }
            return made;
        }

        private List<String> faults(MtaCommand mta, List<StoredKey> keys) {
            KeyRecords records = new KeyRecords(
                    DomainOptions.servers(LoadedConfig.read(mta.settings(), List.of()), resolvers));
            return keys.stream().map(StoredKey::key).flatMap(key -> records.fault(key).stream()).toList();
        }

        private int waiting(MtaCommand mta, String own, List<StoredKey> keys, List<String> faults) {
            if (json) {
                json(mta, keys, faults);
                return Exit.NO;
            }
            faults.forEach(fault -> say(mta, "; " + fault));
            sayRecords(mta, own, keys);
            say(mta, "; when DNS has them: mta dkim rotate " + own);
            return Exit.NO;
        }
    }

    private static void sayRetired(MtaCommand mta, StoredKey stored) {
        say(mta, stored.key().name().selector() + " signs no more; its record " + stored.key().name().dns()
                + " may go after " + end(stored));
    }

    @Command(header = "Lets a key sign no more, and tells when its record may go.",
            description = "The record stays in DNS for seven days, because servers verify mail that was on the way. After"
                    + " that, the same command deletes the file of the key.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT},
            footer = {"  mta dkim retire example.org r20261127"})
    public static final class Retiring implements MtaAction {
        @Parameters(paramLabel = "DOMAIN", index = "0", description = "the domain in From")
        private String domain;

        @Parameters(paramLabel = "SELECTOR", index = "1", description = "as in `dkim list`")
        private String selector;

        @Option(names = "--force", description = "also when mail of the domain is not signed any more")
        private boolean force;

        @Option(names = "--json", description = "as JSON")
        private boolean json;

        @Override
        public int run(MtaCommand mta) {
            String own = domain(domain);
            return on(mta, folder -> {
                List<StoredKey> keys = folder.keys(own);
                StoredKey key = keys.stream().filter(stored -> stored.key().name().selector().equals(selector))
                        .findFirst().orElseThrow(() -> new CommandFailure(Exit.NO, "mta: " + own + " has no key "
                                + Controls.replaced(selector) + " (see mta dkim list)"));
                Instant now = Instant.now();
                if (key.state() == KeyState.ACTIVE && in(keys, KeyState.ACTIVE).size() == 1 && !force) {
                    throw new CommandFailure(Exit.NO, "mta: " + selector + " is the only key that signs for " + own
                            + ": run mta dkim rotate first, or give --force");
                }
                if (key.state() != KeyState.RETIRED) {
                    folder.move(key.key().name(), KeyState.RETIRED, now);
                    key = new StoredKey(key.key(), KeyState.RETIRED, now);
                }
                boolean over = !now.isBefore(end(key));
                if (over) {
                    folder.remove(key.key().name());
                }
                if (json) {
                    json(mta, List.of(key), List.of());
                } else if (over) {
                    say(mta, selector + " is deleted; its record " + key.key().name().dns() + " may go");
                } else {
                    sayRetired(mta, key);
                }
                return Exit.DONE;
            });
        }
    }
}
