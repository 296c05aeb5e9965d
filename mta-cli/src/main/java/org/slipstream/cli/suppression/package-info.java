/// Commands about addresses that get no mail.
package org.slipstream.cli.suppression;
