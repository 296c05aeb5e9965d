/// The sender of a message from the Internet, judged before it is accepted: SPF, DKIM, DMARC.
package org.slipstream.guard.sender;
