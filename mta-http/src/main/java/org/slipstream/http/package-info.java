/// HTTP/1.1 (RFC 9112) as a server, strict and bounded.
package org.slipstream.http;
