/// Rules from replies: replies of other servers that limit the mail to them for a time. All of it is
/// pure. No clock, no socket and no thread is here, so the laboratory plays the same rules.
package org.slipstream.shaping;
