package org.slipstream.config;

import org.slipstream.settings.BoundedFiles;
import org.slipstream.settings.DefaultFile;
import org.slipstream.settings.EffectiveSetting;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsEdit;
import org.slipstream.settings.SettingsSource;
import org.slipstream.settings.WholeFiles;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;

/// Changes settings in the file of a server. It guarantees that the file is the old one, or one that
/// a start accepts and in which each changed setting has its new value. The owner and the rights of
/// the file stay.
public final class ConfigEdit {
    private static final String OWNER_AND_GROUP = "rw-r-----";

    private ConfigEdit() {}

    /// The result of [#change].
    public sealed interface ConfigEdited {
        record Done() implements ConfigEdited {}

        /// @param why sentences; the file is unchanged
        record Refused(List<String> why) implements ConfigEdited {}
    }

    /// @param values in the form of TOML, by dotted key
    public static ConfigEdited change(SettingsSource source, SequencedMap<String, String> values) throws IOException {
        boolean isNew = !Files.exists(source.file());
        SettingsEdit edit = new SettingsEdit(isNew
                ? DefaultFile.render(ServerSchema.SERVER, HostName.ofMachine())
                : new String(BoundedFiles.bytes(source.file(), BoundedFiles.MOST_TEXT_OCTETS),
                        StandardCharsets.UTF_8));
        List<String> refused = new ArrayList<>();
        values.forEach((key, value) -> {
            if (!edit.set(key, value)) {
                refused.add(byHand(source, key, value));
            }
        });
        if (refused.isEmpty()) {
            refused.addAll(faults(source, edit.text(), values));
        }
        if (!refused.isEmpty()) {
            return new ConfigEdited.Refused(refused);
        }
        write(source.file(), edit.text().getBytes(StandardCharsets.UTF_8), isNew);
        return new ConfigEdited.Done();
    }

    private static String byHand(SettingsSource source, String key, String value) {
        return source.fileName() + ": " + key + ": this file is too unusual to be changed by a program; write by hand "
                + key + " = " + value;
    }

    private static List<String> faults(SettingsSource source, String text, Map<String, String> values)
            throws IOException {
        Path trial = Files.createTempFile("mta", ".toml");
        try {
            Files.writeString(trial, text);
            return switch (ConfigReader.read(new SettingsSource(source.home(), trial, List.of()), List.of())) {
                case ReadResult.Rejected(List<Problem> problems) -> problems.stream()
                        .map(problem -> problem.toString().replace(trial.toString(), source.fileName())).toList();
                case ReadResult.Accepted(Config config) -> config.written().settings().stream()
                        .filter(each -> values.containsKey(each.key())
                                && !isSet(each, values.getOrDefault(each.key(), "")))
                        .map(each -> byHand(source, each.key(), values.getOrDefault(each.key(), ""))).toList();
            };
        } finally {
            Files.delete(trial);
        }
    }

    /// Forms have spellings of their own for some values.
    private static boolean isSet(EffectiveSetting setting, String value) {
        return setting.value().replace("\"", "").equalsIgnoreCase(value.replace("\"", ""));
    }

    private static void write(Path file, byte[] text, boolean isNew) throws IOException {
        if (isNew) {
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            WholeFiles.write(file, text, OWNER_AND_GROUP);
            return;
        }
        Path real = file.toRealPath();
        if (!WholeFiles.hasPermissions(real)) {
            WholeFiles.write(real, text, OWNER_AND_GROUP);
            return;
        }
        PosixFileAttributes before = Files.readAttributes(real, PosixFileAttributes.class);
        WholeFiles.write(real, text, PosixFilePermissions.toString(before.permissions()));
        PosixFileAttributeView view = Files.getFileAttributeView(real, PosixFileAttributeView.class);
        if (!view.getOwner().equals(before.owner())) {
            view.setOwner(before.owner());
        }
        if (!view.readAttributes().group().equals(before.group())) {
            view.setGroup(before.group());
        }
    }
}
