package org.slipstream.qmgr.journal.file;

import org.slipstream.core.DataSize;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.nio.file.Path;
import java.util.Optional;

/// The section `[journal]`.
///
/// @param file empty: no journal
/// @param size of all files of one run together
@SettingsSection(value = "journal", restart = "a replay begins at a start of the server")
public record JournalSettings(
        @Setting(value = "",
                doc = "File of the journal, relative to the home folder. Empty: none is written. It holds"
                        + " addresses, so only its owner can read it.") Optional<Path> file,
        @Setting(value = "256MiB", min = "64KiB", expert = true,
                doc = "Size of the journal of one run. The first half holds the beginning of the run, the rest its"
                        + " latest records. The journal of the run before is kept beside it.") DataSize size) {}
