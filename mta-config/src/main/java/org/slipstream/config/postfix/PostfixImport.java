package org.slipstream.config.postfix;

import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.config.postfix.ImportDraft.ImportRemark;
import org.slipstream.config.postfix.ImportDraft.ImportedFile;
import org.slipstream.config.postfix.ImportDraft.ImportedKey;
import org.slipstream.config.postfix.ImportDraft.ImportedSetting;
import org.slipstream.config.postfix.ImportDraft.RemarkKind;
import org.slipstream.config.postfix.ImportTopic.PostfixFiles;
import org.slipstream.config.postfix.PostfixNames.NameRow;
import org.slipstream.config.postfix.PostfixText.NoText;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsSource;
import org.slipstream.settings.SourcePlace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// The import of a Postfix: reads `main.cf`, `master.cf` and their tables, and writes settings of this
/// server. It guarantees that each line of `main.cf` becomes a setting or a remark, and that the result
/// is one that [ConfigReader] accepts.
///
/// A topic translates parameters that belong together. [PostfixNames] decides about all others: a form
/// of value makes one setting of one parameter, and a note is the remark. A setting that the reader
/// refuses, for instance because a certificate is missing, is taken out again and told.
public final class PostfixImport {
    static final String PATTERNS = "regexp:";
    private static final String TRANSPORTS = "transport.*.";

    private final ImportDraft draft = new ImportDraft();
    private final MainCf main;
    private final Optional<MasterCf> master;

    /// @param master empty: the file `master.cf` beside `main.cf`, if there is one
    /// @param users names of the mailboxes of the system's users
    /// @throws IOException one of the two files cannot be read, with a sentence
    public PostfixImport(Path file, Optional<Path> master, List<String> users, String machine) throws IOException {
        try {
            this.main = new MainCf(file, machine, draft);
            Path beside = master.orElseGet(() -> file.resolveSibling("master.cf"));
            this.master = master.isPresent() || Files.exists(beside)
                    ? Optional.of(MasterCf.read(beside, draft))
                    : Optional.empty();
        } catch (NoText unreadable) {
            throw new IOException(unreadable.getMessage(), unreadable);
        }
        PostfixFiles files = new PostfixFiles(main, this.master, users, draft);
        for (ImportTopic topic : List.of(new DomainTopic(), new AddressTopic(), new PolicyTopic(), new ListenTopic(),
                new RouteTopic())) {
            topic.translate(files, draft);
        }
        main.names().forEach(name -> rest(name, files));
        main.names().forEach(this::neverSilently);
    }

    /// A line of the result, or of what has none.
    ///
    /// @param setting empty when there is none
    /// @param text the value, or the reason
    public record ImportLine(String place, String name, String setting, String text) {}

    /// @param files the names of the files beside `mta.toml`
    public record ImportReport(List<ImportLine> mapped, List<ImportLine> notMapped, List<ImportLine> mistakes,
            List<ImportLine> notNeeded, List<String> files, List<String> problems) {
        public boolean isComplete() {
            return notMapped.isEmpty() && mistakes.isEmpty();
        }
    }

    /// The names that no topic has read.
    private void rest(String name, PostfixFiles files) {
        if (draft.isHandled(name)) {
            return;
        }
        Optional<NameRow> row = PostfixNames.PARAMETERS.find(name);
        if (row.isEmpty()) {
            unknown(name, files);
        } else {
            files.given(name).ifPresentOrElse(parameter -> simple(row.get(), parameter), () -> draft.remark(
                    RemarkKind.NOT_NEEDED, main.place(name), name, "it is empty"));
        }
    }

    /// A topic reads lines that change nothing, such as `mynetworks_style` beside `mynetworks`.
    private void neverSilently(String name) {
        boolean told = draft.remarks().stream().anyMatch(remark -> remark.name().equals(name));
        boolean set = draft.settings().values().stream().flatMap(setting -> setting.sources().stream())
                .anyMatch(source -> source.endsWith(" " + name) || source.contains(" " + name + ","));
        if (!told && !set) {
            draft.remark(RemarkKind.NOT_NEEDED, main.place(name), name, "other lines or the defaults say the same");
        }
    }

    private void unknown(String name, PostfixFiles files) {
        boolean used = main.used().contains(name) || files.services().stream()
                .flatMap(each -> each.services().stream()).flatMap(each -> each.options().values().stream())
                .anyMatch(value -> value.contains("$" + name) || value.contains("{" + name));
        if (used) {
            // A value that leads back to itself is a mistake in any name.
            files.given(name);
        } else {
            draft.mistake(main.place(name), name, "Postfix has no such parameter" + PostfixNames.PARAMETERS.near(name)
                    .map(near -> "; did you mean \"" + near + "\"?").orElse(""));
        }
    }

    private void simple(NameRow row, MainCf.PostfixSetting parameter) {
        if (!row.needed()) {
            draft.remark(RemarkKind.NOT_NEEDED, parameter.place(), parameter.name(), row.note());
            return;
        }
        Optional<String> value = SimpleValues.toml(row.form(), parameter.value());
        Optional<String> setting = row.settings().stream().findFirst().flatMap(each -> setting(each, row, parameter));
        if (setting.isPresent() && value.isPresent()) {
            boolean list = setting.get().equals("queue.delay-notice");
            if (list) {
                draft.add(setting.get(), value.get(), parameter.source());
            } else {
                draft.set(setting.get(), value.get(), parameter.source());
            }
        } else if (row.settings().isEmpty() || row.form().equals("-")) {
            draft.notMapped(parameter, row.note().isEmpty() ? "there is no such setting" : row.note());
        } else if (setting.isEmpty()) {
            draft.notMapped(parameter,
                    "no route names this transport, so it has no section [transport.NAME]");
        } else {
            draft.notMapped(parameter, "\"" + parameter.value() + "\" has no form that " + setting.get() + " takes");
        }
    }

    /// The setting of a parameter; that of a pattern has the name of the transport.
    private Optional<String> setting(String setting, NameRow row, MainCf.PostfixSetting parameter) {
        if (!setting.startsWith(TRANSPORTS)) {
            return Optional.of(setting);
        }
        String transport = parameter.name().substring(0, parameter.name().length() - row.pattern().length() + 1);
        return TransportTopic.name(transport, draft).map(own -> setting.replace(TRANSPORTS, "transport." + own + "."));
    }

    /// The whole text, after the check of each line.
    ///
    /// @param folder where [#writeFiles] writes; empty: nowhere, the file is printed
    public String toml(Optional<Path> folder) {
        return ImportedToml.render(draft, main.file(), folder).text();
    }

    /// Checks the result as a start does, and takes out each line that is refused.
    ///
    /// @return the problems that remain
    public List<String> check() throws IOException {
        Path home = Files.createTempDirectory("mta-import");
        try {
            while (true) {
                writeFiles(home);
                ImportedToml toml = ImportedToml.render(draft, main.file(), Optional.of(home));
                Files.writeString(home.resolve(SettingsSource.FILE), toml.text());
                ReadResult result = ConfigReader.read(SettingsSource.in(home), List.of());
                if (!(result instanceof ReadResult.Rejected(List<Problem> problems))) {
                    return List.of();
                }
                if (!takeOut(problems, toml.keys())) {
                    return problems.stream().map(Problem::toString).toList();
                }
            }
        } finally {
            delete(home);
        }
    }

    /// Takes out as little as possible: the line of a table, else an item of a list, else the setting.
    private boolean takeOut(List<Problem> problems, Map<Integer, ImportedKey> keys) {
        Map<RefusedItem, Map<Integer, String>> lines = new LinkedHashMap<>();
        boolean changed = false;
        for (Problem problem : problems) {
            boolean ours = problem.source().equals(SettingsSource.FILE);
            Optional<ImportedKey> key = ours
                    ? Optional.ofNullable(keys.get(problem.line()))
                    : keys.values().stream().filter(each -> each.toString().equals(problem.key())
                            || item(each, problem.source()).isPresent()).findFirst();
            if (key.filter(draft.settings()::containsKey).isEmpty()) {
                continue;
            }
            Optional<String> table = item(key.get(), problem.source());
            if (!ours && problem.line() > 0 && table.isPresent()) {
                lines.computeIfAbsent(new RefusedItem(key.get(), table.get()), _ -> new LinkedHashMap<>())
                        .putIfAbsent(problem.line(), problem.what());
            } else {
                takeOut(key.get(), problem.what(), ours ? problem.what() : problem.toString());
                changed = true;
            }
        }
        lines.forEach(this::leaveOut);
        return changed || !lines.isEmpty();
    }

    private record RefusedItem(ImportedKey key, String item) {}

    /// The item of a setting that is this file.
    private Optional<String> item(ImportedKey key, String file) {
        return draft.items(key.toString()).stream()
                .filter(item -> unquoted(item).equals(file) || unquoted(item).equals(PATTERNS + file)).findFirst();
    }

    private void takeOut(ImportedKey key, String problem, String sentence) {
        List<String> items = draft.items(key.toString());
        Optional<String> refused = items.stream().filter(item -> problem.contains(unquoted(item))).findFirst();
        if (items.size() > 1 && refused.isPresent()) {
            told(key, refused.get() + " is left out: " + sentence);
            draft.removeItem(key.toString(), refused.get());
        } else {
            told(key, "the setting is left out: " + sentence);
            draft.remove(key);
        }
    }

    /// A copy of the table without these lines stands beside `mta.toml`; Postfix's own file stays as it is.
    ///
    /// @param refused the reasons by line
    private void leaveOut(RefusedItem each, Map<Integer, String> refused) {
        String patterns = unquoted(each.item()).startsWith(PATTERNS) ? PATTERNS : "";
        TableCopy copy;
        try {
            copy = TableCopy.of(unquoted(each.item()).substring(patterns.length()), draft);
        } catch (NoText gone) {
            takeOut(each.key(), unquoted(each.item()), String.valueOf(gone.getMessage()));
            return;
        }
        refused.forEach((line, why) -> {
            if (copy.leaveOut(line)) {
                draft.remark(RemarkKind.NOT_MAPPED, new SourcePlace(copy.original(), line), "",
                        "the line is left out: " + why);
            }
        });
        if (copy.isChanged()) {
            draft.replaceItem(each.key(), each.item(), SimpleValues.quoted(patterns + copy.keep(draft)));
        } else {
            takeOut(each.key(), unquoted(each.item()), String.join("; ", refused.values()));
        }
    }

    private static String unquoted(String toml) {
        return toml.startsWith("\"") ? toml.substring(1, toml.length() - 1) : toml;
    }

    private void told(ImportedKey key, String problem) {
        ImportedSetting setting = Optional.ofNullable(draft.settings().get(key)).orElseThrow();
        String source = setting.sources().iterator().next();
        String name = source.substring(source.lastIndexOf(' ') + 1);
        draft.remark(RemarkKind.NOT_MAPPED, main.place(name), main.names().contains(name) ? name : "",
                problem);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /// Writes the files that settings name.
    public void writeFiles(Path folder) throws IOException {
        for (ImportedFile file : draft.files()) {
            Path path = folder.resolve(file.name());
            Files.deleteIfExists(path);
            Files.createFile(path, PosixFilePermissions
                    .asFileAttribute(PosixFilePermissions.fromString(file.secret() ? "rw-------" : "rw-r--r--")));
            Files.write(path, file.text().getBytes(StandardCharsets.UTF_8));
        }
    }

    public List<String> fileNames() {
        return draft.files().stream().map(ImportedFile::name).toList();
    }

    /// @param problems of [#check]
    public ImportReport report(List<String> problems) {
        return new ImportReport(
                draft.settings().entrySet().stream().map(each -> new ImportLine(
                        String.join("; ", each.getValue().sources()), "", each.getKey().toString(),
                        each.getValue().toml())).toList(),
                remarks(RemarkKind.NOT_MAPPED), remarks(RemarkKind.MISTAKE), remarks(RemarkKind.NOT_NEEDED),
                fileNames(), problems);
    }

    private List<ImportLine> remarks(RemarkKind kind) {
        return draft.remarks().stream().filter(remark -> remark.kind() == kind)
                .sorted(Comparator.comparing((ImportRemark remark) -> !remark.place().source().equals(main.fileName()))
                        .thenComparing(remark -> remark.place().source())
                        .thenComparingInt(remark -> remark.place().line()))
                .map(remark -> new ImportLine(remark.place().toString(), remark.name(), "", remark.reason())).toList();
    }
}
