/// DANE for SMTP (RFC 7672): TLSA records, and the certificates that they name.
package org.slipstream.auth.dane;
