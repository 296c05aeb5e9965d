/// Who may send what to whom, and the way in for every message: mailboxes, aliases, relaying, and the spool behind them.
package org.slipstream.server.intake;
