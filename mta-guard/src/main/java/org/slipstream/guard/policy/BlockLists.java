package org.slipstream.guard.policy;

import org.slipstream.core.dns.ReverseName;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Ruling;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// DNS lists of clients (RFC 5782): 192.0.2.99 is listed by `list.example` when
/// `99.2.0.192.list.example` has an address in 127.0.0.0/8. Clients are refused at RCPT and not at
/// connect, so that they can still write to the postmaster about the listing.
///
/// All lists are queried at the same time, and the first list in the operator's order that has the
/// client decides. An answer from 127.255.255.0/24 means that the list refuses our queries (too
/// many, an open resolver). An address outside 127/8 comes from a resolver that answers for names
/// that do not exist. Neither is a statement about the client, and nor is a timeout.
public final class BlockLists implements Check {
    private final List<BlockList> lists;
    private final NameQuestions names;
    private final TimedQueries inTime;

    BlockLists(List<BlockList> lists, NameQuestions names, TimedQueries inTime) {
        this.lists = List.copyOf(lists);
        this.names = names;
        this.inTime = inTime;
    }

    private enum Answer {
        LISTED, NOT_LISTED, NOTHING
    }

    @Override
    public String name() {
        return "block-lists";
    }

    @Override
    public Ruling rcpt(Client client, Rcpt rcpt) {
        if (!mayBeListed(client.address())) {
            return Ruling.pass();
        }
        List<CompletableFuture<Optional<NameQuestions.Addresses>>> asked = lists.stream()
                .map(list -> inTime.ask(list.zone(),
                        () -> names.ip4(ReverseName.below(client.address(), list.zone()))))
                .toList();
        for (int i = 0; i < lists.size(); i++) {
            if (read(lists.get(i), asked.get(i).join()) == Answer.LISTED) {
                return ruling(client, lists.get(i));
            }
        }
        return Ruling.pass();
    }

    private static Ruling ruling(Client client, BlockList list) {
        return list.tagOnly()
                ? Ruling.tag(list.zone())
                : Ruling.reject(554, "5.7.1",
                        "Service unavailable; Client host [" + client.address().getHostAddress() + "] blocked using "
                                + list.zone());
    }

    private Answer read(BlockList list, Optional<NameQuestions.Addresses> answer) {
        return switch (answer.orElse(new NameQuestions.Addresses.None())) {
            case NameQuestions.Addresses.None _ -> Answer.NOT_LISTED;
            case NameQuestions.Addresses.Trouble _ -> noAnswer(list);
            case NameQuestions.Addresses.Found(List<InetAddress> addresses) -> addresses.stream()
                    .anyMatch(BlockLists::isRefusal)
                            ? noAnswer(list)
                            : addresses.stream().anyMatch(InetAddress::isLoopbackAddress)
                                    ? Answer.LISTED
                                    : Answer.NOT_LISTED;
        };
    }

    private Answer noAnswer(BlockList list) {
        inTime.pause(list.zone());
        return Answer.NOTHING;
    }

    private static boolean isRefusal(InetAddress address) {
        byte[] octets = address.getAddress();
        return octets.length == 4 && octets[0] == 127 && octets[1] == (byte) 255 && octets[2] == (byte) 255;
    }

    /// False for addresses that cannot be on a list.
    static boolean mayBeListed(InetAddress address) {
        return !address.isLoopbackAddress() && !address.isLinkLocalAddress() && !address.isSiteLocalAddress();
    }
}
