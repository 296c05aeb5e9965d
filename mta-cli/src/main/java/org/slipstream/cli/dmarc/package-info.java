/// The commands about daily reports of other servers, DMARC and TLS, in words.
package org.slipstream.cli.dmarc;
