package org.slipstream.smtpout.dialog;

import org.slipstream.core.Recipient;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The transactions of one delivery: its recipients in groups that the peer accepts in one
/// transaction.
///
/// Every server must accept [#GUARANTEED] recipients in one transaction (RFC 5321 section
/// 4.5.3.1.8), and no server need accept more. A server may announce another number, and a number
/// of domains (RFC 9422 sections 4.2 and 4.3).
public final class Portions {
    /// RFC 5321 section 4.5.3.1.8.
    static final int GUARANTEED = 100;

    private Portions() {}

    /// The recipients in order, in groups that each fit into one transaction.
    public static List<List<Recipient>> of(List<Recipient> recipients, PeerExtensions peer) {
        int mostRecipients = peer.recipientMax().orElse(GUARANTEED);
        int mostDomains = peer.domainMax().orElse(Integer.MAX_VALUE);
        List<List<Recipient>> groups = new ArrayList<>(1);
        List<Recipient> group = new ArrayList<>();
        Set<String> domains = new HashSet<>();
        for (Recipient recipient : recipients) {
            domains.add(recipient.address().domainKey());
            if (group.size() == mostRecipients || domains.size() > mostDomains) {
                groups.add(group);
                group = new ArrayList<>();
                domains.clear();
                domains.add(recipient.address().domainKey());
            }
            group.add(recipient);
        }
        groups.add(group);
        return groups;
    }
}
