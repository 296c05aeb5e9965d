/// Opens a spool, and treats one that no server uses: check, repair, export, import.
package org.slipstream.spool.tools;
