package org.slipstream.smtpin;

import org.slipstream.smtpin.auth.GuessGuard;
import org.slipstream.smtpin.auth.LoginService;
import org.slipstream.smtpin.auth.Mechanisms;
import org.slipstream.smtpin.auth.PasswordThreads;
import org.slipstream.smtpin.auth.UserSecrets;
import org.slipstream.smtpin.policy.Policy;

import java.util.Optional;

/// The services behind a listener: message handler, policy, users, and budgets that ports share.
///
/// @param policy asked before the handler
/// @param logins decides logins; where it has no mechanism, AUTH is not announced, whatever the
///     service offers
/// @param guesses shared by all ports where users log in, so that a ban applies to each
/// @param etrn empty: ETRN is answered 458
/// @param memory shared by all ports
/// @param passwords shared by all ports
public record ListenerServices(MessageHandler handler, Policy policy, LoginService logins, GuessGuard guesses,
        Optional<EtrnService> etrn, MemoryBudget memory, PasswordThreads passwords) {
    /// A message handler without users and ETRN.
    public static ListenerServices of(MessageHandler handler) {
        return new ListenerServices(handler, Policy.standard(), new Mechanisms(Optional.empty(), false),
                new GuessGuard(GuessGuard.GuessSettings.standard(), System::nanoTime), Optional.empty(),
                MemoryBudget.standard(),
                PasswordThreads.standard());
    }

    public ListenerServices withPolicy(Policy other) {
        return new ListenerServices(handler, other, logins, guesses, etrn, memory, passwords);
    }

    public ListenerServices withCredentials(UserSecrets users, GuessGuard guard) {
        return withLogins(new Mechanisms(Optional.of(users), true), guard);
    }

    public ListenerServices withLogins(LoginService other, GuessGuard guard) {
        return new ListenerServices(handler, policy, other, guard, etrn, memory, passwords);
    }

    public ListenerServices withEtrn(EtrnService wake) {
        return new ListenerServices(handler, policy, logins, guesses, Optional.of(wake), memory, passwords);
    }

    public ListenerServices withMemory(MemoryBudget budget) {
        return new ListenerServices(handler, policy, logins, guesses, etrn, budget, passwords);
    }

    /// These services with the bans, the budget and the threads of others.
    public ListenerServices sharing(ListenerServices others) {
        return new ListenerServices(handler, policy, logins, others.guesses, etrn, others.memory, others.passwords);
    }

    public ListenerServices withPasswords(PasswordThreads threads) {
        return new ListenerServices(handler, policy, logins, guesses, etrn, memory, threads);
    }
}
