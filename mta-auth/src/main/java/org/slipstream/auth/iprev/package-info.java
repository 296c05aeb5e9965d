/// The reverse name of a client, and its way back (RFC 8601 section 3).
package org.slipstream.auth.iprev;
