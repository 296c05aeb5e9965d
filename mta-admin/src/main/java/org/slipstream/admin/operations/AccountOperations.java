package org.slipstream.admin.operations;

import org.slipstream.core.order.AccountVerb;

import java.util.List;
import java.util.Optional;

/// The mail that users and domains of senders have sent, as the API uses it. Called on HTTP threads.
public interface AccountOperations {
    /// The name of the check that holds mail; it is the author of these holds.
    String CHECK = "accounts";

    /// Empty for a name that has sent nothing.
    ///
    /// @param name of a user, or `@` and a domain
    Optional<AccountView> account(String name);

    /// The users whose mail is unlike before.
    List<AccountView> suspicious();

    /// Ends the suspicion. The mail that is held stays on hold.
    ///
    /// @return false when there was none
    boolean release(AccountVerb.Release order);

    /// @param state `usual`, `suspicious`, `held`
    /// @param since ISO 8601 in UTC: the first mail
    /// @param reason of the state, with its time; empty when usual
    /// @param last the time of the latest mail
    /// @param minute recipients, as `hour` and `day`; a cap of 0 is none
    /// @param busiestHour recipients within the busiest hour of the 14 days before today
    /// @param refused recipients that were refused for good within a day
    /// @param complaints within a day
    /// @param spam messages within an hour
    record AccountView(String name, String state, String reason, String since, String last, RateView minute,
            RateView hour, RateView day, int busiestHour, long refused, long complaints, long spam,
            List<NetworkView> networks) {}

    record RateView(long recipients, int cap) {}

    /// @param last the time of the latest mail
    record NetworkView(String network, String last) {}
}
