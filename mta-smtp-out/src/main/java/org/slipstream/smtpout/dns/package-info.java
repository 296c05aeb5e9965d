/// Where mail for a domain goes, by DNS.
package org.slipstream.smtpout.dns;
