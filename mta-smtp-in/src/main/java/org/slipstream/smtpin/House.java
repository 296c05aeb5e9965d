package org.slipstream.smtpin;

import org.slipstream.smtpin.auth.Credentials;
import org.slipstream.smtpin.auth.GuessGuard;
import org.slipstream.smtpin.auth.PasswordThreads;
import org.slipstream.smtpin.policy.Policy;

import java.util.Optional;

/// Everything behind a listener that decides, knows or keeps something.
///
/// @param policy asked before the door is
/// @param credentials of users; without them AUTH is not announced whatever the service says
/// @param guesses shared by all ports where users log in, so that a ban counts on each
/// @param etrn empty: ETRN is answered 458
/// @param memory shared by all ports
/// @param passwords shared by all ports
public record House(MailDoor door, Policy policy, Optional<Credentials> credentials, GuessGuard guesses,
        Optional<Etrn> etrn, MemoryBudget memory, PasswordThreads passwords) {
    /// A house with a door and nothing else.
    public static House of(MailDoor door) {
        return new House(door, Policy.standard(), Optional.empty(),
                new GuessGuard(GuessGuard.Settings.standard(), System::nanoTime), Optional.empty(),
                MemoryBudget.standard(),
                PasswordThreads.standard());
    }

    public House withPolicy(Policy other) {
        return new House(door, other, credentials, guesses, etrn, memory, passwords);
    }

    public House withCredentials(Credentials users, GuessGuard guard) {
        return new House(door, policy, Optional.of(users), guard, etrn, memory, passwords);
    }

    public House withEtrn(Etrn wake) {
        return new House(door, policy, credentials, guesses, Optional.of(wake), memory, passwords);
    }

    public House withMemory(MemoryBudget budget) {
        return new House(door, policy, credentials, guesses, etrn, budget, passwords);
    }

    public House withPasswords(PasswordThreads threads) {
        return new House(door, policy, credentials, guesses, etrn, memory, threads);
    }
}
