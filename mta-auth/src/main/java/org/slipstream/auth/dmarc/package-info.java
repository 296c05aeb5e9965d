/// DMARC (RFC 9989): whether the domain that a reader sees in From is the one that SPF or DKIM
/// authenticated, and what its owner wants for mail of which this is not true.
package org.slipstream.auth.dmarc;
