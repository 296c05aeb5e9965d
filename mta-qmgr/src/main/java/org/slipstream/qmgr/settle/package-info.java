/// The settlement of a message after its deliveries: outcomes, retries, reports, its end.
package org.slipstream.qmgr.settle;
