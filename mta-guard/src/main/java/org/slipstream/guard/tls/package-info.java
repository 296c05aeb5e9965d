/// Certificates and keys for TLS: the operator's PEM files, chosen by name and reloaded when they
/// change, or a self-signed pair that is created at the first start.
package org.slipstream.guard.tls;
