/// The command line, `mta`: picocli for parsing and help, a class per command, and what commands
/// share.
///
/// Commands know the server only as [ServerStarter] and, once it runs, through its HTTP API, so
/// `--help` loads no class of the server.
package org.slipstream.server.cli;
