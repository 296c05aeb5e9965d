/// A message in the queue manager.
package org.slipstream.qmgr.message;
