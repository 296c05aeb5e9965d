/// HTTP as a server of mail needs it: one bounded sender.
package org.slipstream.core.http;
