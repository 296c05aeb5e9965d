/// When the mail of a destination is sent: settings of single destinations, their rates and rings.
package org.slipstream.qmgr.wake;
