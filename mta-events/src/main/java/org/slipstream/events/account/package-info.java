/// How much mail each user and each sender's domain sends, and whether it is as before.
package org.slipstream.events.account;
