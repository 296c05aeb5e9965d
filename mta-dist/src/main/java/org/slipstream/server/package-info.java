/// The composition root: [Main] is the process, [Server] joins the rooms.
package org.slipstream.server;
