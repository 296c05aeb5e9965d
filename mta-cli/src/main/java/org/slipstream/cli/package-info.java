/// The command line, `mta`: the table of commands ([Cli]), the manual, and warm-up, which runs them.
/// The commands themselves are in the packages below, and [org.slipstream.cli.frame] has what they
/// share.
///
/// Commands know the server only as [org.slipstream.cli.frame.ServerStarter] and, once it runs, through
/// its HTTP API, so `--help` loads no class of the server.
package org.slipstream.cli;
