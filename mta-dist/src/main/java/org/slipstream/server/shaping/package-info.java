/// Rules from replies in the running server: the way of a refusal to the rules, and of their orders to
/// the queue managers.
package org.slipstream.server.shaping;
