/// The plain seating: one lane, one connection, one entry at a time.
package org.slipstream.qmgr.lane;
