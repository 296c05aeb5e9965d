/// The composition root: [Main] is the process, [Server] connects the modules.
package org.slipstream.server;
