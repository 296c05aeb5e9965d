/// Judges a message as large receivers do, before it is sent, and explains their replies:
/// `mta check --mail`, `--to` and `--reply`.
package org.slipstream.guard.preflight;
