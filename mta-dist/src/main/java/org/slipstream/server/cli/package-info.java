/// The command line, `./mta`: parsing and help by picocli, a class per command, what commands have in common beside it.
///
/// Commands know the server only as [ServerStarter] and, once it runs, through its HTTP API, so that `--help` loads
/// nothing of it.
package org.slipstream.server.cli;
