/// Commands about other hosts and destinations: `destdb`, `suspend`, `resume`, `freeze`, `thaw`, `retry`.
package org.slipstream.cli.host;
