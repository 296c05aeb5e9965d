package org.slipstream.qmgr.sched;

/// A transport with its scheduling rules, which may change.
///
/// Jobs and destinations refer to it. Its current state is in [TransportQueues].
final class Transport {
    private final int number;
    private final String name;
    private ServiceRules rules;

    /// @param number transports are numbered in the order of their first use
    Transport(int number, String name, ServiceRules rules) {
        this.number = number;
        this.name = name;
        this.rules = rules;
    }

    int number() {
        return number;
    }

    String name() {
        return name;
    }

    ServiceRules rules() {
        return rules;
    }

    void change(ServiceRules others) {
        rules = others;
    }
}
