/// `run`, which keeps the process while the server runs, and `send`.
package org.slipstream.cli.run;
