/// The settings of the queue manager and of its transports.
package org.slipstream.qmgr.settings;
