/// The listener. SubEthaSMTP carries sockets, sessions and TLS; every command that touches mail is ours.
package org.slipstream.smtpin;
