/// Routes of domains, by DNS.
package org.slipstream.smtpout.dns;
