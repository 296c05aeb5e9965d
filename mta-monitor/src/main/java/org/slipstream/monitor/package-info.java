/// Metrics in the text formats of Prometheus, and the HTTP server that has them.
package org.slipstream.monitor;
