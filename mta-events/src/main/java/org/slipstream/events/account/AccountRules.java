package org.slipstream.events.account;

import org.slipstream.events.account.AccountSettings.AccountWatch;

import java.util.Map;
import java.util.Optional;

/// The caps of all accounts.
///
/// @param clauses by the name of a user, or by `@` and a domain in lower case
public record AccountRules(AccountSettings settings, Map<String, AccountClause> clauses) {
    public AccountRules {
        clauses = Map.copyOf(clauses);
    }

    /// Recipients within a minute, an hour and a day; 0: no cap.
    record AccountCaps(int perMinute, int perHour, int perDay) {}

    AccountCaps caps(String account) {
        AccountClause own = clause(account);
        return Account.isDomain(account)
                ? caps(own, settings.domainPerMinute(), settings.domainPerHour(), settings.domainPerDay())
                : caps(own, settings.userPerMinute(), settings.userPerHour(), settings.userPerDay());
    }

    private static AccountCaps caps(AccountClause own, int minute, int hour, int day) {
        return new AccountCaps(own.perMinute().orElse(minute), own.perHour().orElse(hour), own.perDay().orElse(day));
    }

    private AccountClause clause(String account) {
        return Optional.ofNullable(clauses.get(account)).orElse(AccountClause.NONE);
    }

    int usualPerHour(String account) {
        return clause(account).usualPerHour().orElse(settings.usualPerHour());
    }

    public AccountWatch watch() {
        return settings.watch();
    }
}
