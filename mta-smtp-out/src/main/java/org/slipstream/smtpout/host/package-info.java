/// Names into addresses and records, by DNS and the hosts file.
package org.slipstream.smtpout.host;
