/// Rules from replies, tried before they bind: recorded mail and replies, played with and without the
/// rules, and the page that shows both.
package org.slipstream.lab.shaping;
