/// Certificate and key for STARTTLS: the operator's from PEM files, or a pair of our own made at first start.
package org.slipstream.dist.tls;
