/// Certificates and keys for TLS: the operator's from PEM files, several of them by name and read again when they change, or a pair of
/// our own made at first start.
package org.slipstream.server.tls;
