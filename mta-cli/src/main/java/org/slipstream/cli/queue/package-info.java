/// Commands about messages: `queue`, `mailq`, `explain`, `trace`, `verify`.
package org.slipstream.cli.queue;
