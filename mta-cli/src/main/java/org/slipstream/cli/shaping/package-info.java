/// Commands about rules from replies.
package org.slipstream.cli.shaping;
