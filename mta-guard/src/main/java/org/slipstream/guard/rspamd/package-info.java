/// The filter Rspamd: messages are shown to it before they are accepted.
package org.slipstream.guard.rspamd;
