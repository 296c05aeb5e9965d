/// The scripted SMTP and LMTP server: sessions, connections, TLS with its faults.
package org.slipstream.sink.server;
