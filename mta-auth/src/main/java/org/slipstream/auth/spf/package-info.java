/// SPF (RFC 7208): whether a domain lets an address send its mail.
package org.slipstream.auth.spf;
