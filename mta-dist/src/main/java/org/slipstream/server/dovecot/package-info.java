/// Dovecot's authentication service as the judge of logins and the list of mailboxes.
package org.slipstream.server.dovecot;
