/// The answer to "why is it still queued?": the gates, and the phase of each active message.
package org.slipstream.qmgr.explain;
