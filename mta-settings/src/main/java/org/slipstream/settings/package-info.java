/// Settings: the keys that records declare ([Schema]), the reader that finds every mistake at once
/// ([TomlSource], [Values]), and what is written from the declarations ([DefaultFile],
/// [SettingsManual]).
package org.slipstream.settings;
