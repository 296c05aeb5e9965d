/// Questions to DNS and their answers as text, without a resolver: mta-smtp-out asks, mta-auth and
/// the check of a domain judge the answers.
package org.slipstream.core.dns;
