/// The daily reports to other domains, about DMARC and TLS: counted, kept on disk, sent after midnight.
package org.slipstream.server.daily;
