package org.slipstream.guard.zone;

import org.slipstream.smtpout.host.RecordTexts;

/// Asks DNS for the records of a name, as text.
@FunctionalInterface
interface ZoneLookup {
    RecordTexts.TextAnswer ask(String name, RecordTexts.RecordType type);
}
