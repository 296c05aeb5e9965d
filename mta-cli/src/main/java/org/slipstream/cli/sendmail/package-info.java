/// The program `sendmail` as other programs call it: its arguments, and the message on its standard
/// input.
package org.slipstream.cli.sendmail;
