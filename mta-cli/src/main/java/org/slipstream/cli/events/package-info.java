/// The commands that show what became of mail, for programs.
package org.slipstream.cli.events;
