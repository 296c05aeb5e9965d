/// What an observer hears of the decisions.
package org.slipstream.qmgr.trace;
