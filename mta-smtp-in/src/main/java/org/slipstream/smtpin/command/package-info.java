/// Command lines as data: one line of text in, one [Command] out. Pure; knows the grammar of RFC
/// 5321 section 4.1 and not the session.
package org.slipstream.smtpin.command;
