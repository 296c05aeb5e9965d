/// The commands about DMARC: reports of other servers in words.
package org.slipstream.cli.dmarc;
