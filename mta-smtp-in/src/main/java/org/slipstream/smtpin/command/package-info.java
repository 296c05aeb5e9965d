/// Command lines as data: one line of text in, one [Command] out. Pure; it knows the grammar of RFC 5321 section 4.1
/// and nothing of the session it is used in.
package org.slipstream.smtpin.command;
