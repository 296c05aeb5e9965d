/// Addresses that get no mail.
package org.slipstream.events.suppression;
