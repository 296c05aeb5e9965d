/// Commands about the files of a stopped server: `spool`.
package org.slipstream.cli.spool;
