/// The common parts of commands: exit codes, options of `mta`, the client of the API, tables, JSON.
package org.slipstream.cli.frame;
