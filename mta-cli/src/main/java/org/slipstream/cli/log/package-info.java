/// The log of the process: its forms, its file, its level.
package org.slipstream.cli.log;
