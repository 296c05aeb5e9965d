package org.slipstream.sink.script;

import org.slipstream.sink.script.ScriptRule.CountOf;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/// A script in use: its counters, and what it decides next. The caller brings the time, so a real
/// server and the simulator get the same reactions to the same sequence of moments.
///
/// Several threads may call it. Numbers of clients and triplets that it remembers are bounded; the
/// oldest go first.
public final class ScriptRun {
    private static final long MINUTE = 60_000;
    private static final int MOST_CLIENTS = 10_000;
    private static final int MOST_TRIPLETS = 100_000;

    private final ServerScript script;
    private final long startMillis;
    private final SplittableRandom chance;
    private final int[] cases;
    private final long[] applied;
    private final Map<ScriptPhase, Long> phases = new EnumMap<>(ScriptPhase.class);
    private final Map<String, ClientCount> clients = bounded(MOST_CLIENTS);
    private final Map<String, Long> triplets = bounded(MOST_TRIPLETS);
    private final Deque<Long> recent = new ArrayDeque<>();
    private int open;
    private int connections;
    private int messages;

    /// The connections of one client.
    private static final class ClientCount {
        private final Deque<Long> recent = new ArrayDeque<>();
        private int open;
        private long connections;
        private long messages;
    }

    /// Numbers of one client.
    public record ClientFigures(long connections, int open, long messages) {}

    /// Numbers of a script in use.
    ///
    /// @param rules how often each rule applied, by its name, in the order of the script
    /// @param phases how often each phase was reached
    public record ScriptFigures(Map<String, Long> rules, Map<String, Long> phases, Map<String, ClientFigures> clients,
            int open, long connections, long messages) {}

    public ScriptRun(ServerScript script, long nowMillis) {
        this.script = script;
        this.startMillis = nowMillis;
        this.chance = new SplittableRandom(script.seed());
        this.cases = new int[script.rules().size()];
        this.applied = new long[script.rules().size()];
    }

    private static <V> Map<String, V> bounded(int most) {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
                return size() > most;
            }
        };
    }

    public ServerScript script() {
        return script;
    }

    /// A new connection. [ScriptSession#at] with [ScriptPhase#CONNECT] says whether it is served.
    public synchronized ScriptSession connect(String client, long nowMillis) {
        ClientCount count = clients.computeIfAbsent(client, _ -> new ClientCount());
        ScriptLimits limits = script.limits();
        boolean refused = open >= limits.connections() || count.open >= limits.clientConnections()
                || isOver(recent, limits.perMinute(), nowMillis)
                || isOver(count.recent, limits.clientPerMinute(), nowMillis);
        if (!refused) {
            open++;
            count.open++;
        }
        count.connections++;
        return new ScriptSession(this, client, ++connections, refused);
    }

    /// An open connection of another script, which follows this one from now on.
    public synchronized ScriptSession takeOver(ScriptSession other) {
        open++;
        clients.computeIfAbsent(other.client(), _ -> new ClientCount()).open++;
        return new ScriptSession(this, other, ++connections);
    }

    /// A refused connection does not count, so a client that tries again and again is served again.
    private static boolean isOver(Deque<Long> recent, int most, long now) {
        if (most == Integer.MAX_VALUE) {
            return false;
        }
        while (!recent.isEmpty() && recent.peek() <= now - MINUTE) {
            recent.remove();
        }
        if (recent.size() >= most) {
            return true;
        }
        recent.add(now);
        return false;
    }

    synchronized void closed(String client) {
        open--;
        ClientCount count = clients.get(client);
        if (count != null) {
            count.open--;
        }
    }

    synchronized int nextMessage(String client) {
        ClientCount count = clients.get(client);
        if (count != null) {
            count.messages++;
        }
        return ++messages;
    }

    /// The reaction of the first rule that applies, else the usual one.
    synchronized Reaction decide(ScriptPhase phase, ScriptSession session, String recipient, long nowMillis) {
        phases.merge(phase, 1L, Long::sum);
        for (int i = 0; i < cases.length; i++) {
            ScriptRule rule = script.rules().get(i);
            if (rule.phases().contains(phase) && matches(rule, session, recipient, nowMillis)) {
                int number = number(rule.count().of(), i, session);
                if (rule.count().holds(number) && isChosen(rule.count().chance())) {
                    applied[i]++;
                    return rule.reaction();
                }
            }
        }
        return Reaction.USUAL;
    }

    private boolean matches(ScriptRule rule, ScriptSession session, String recipient, long nowMillis) {
        return rule.when().holds(session.client(), session.helo(), session.sender(), recipient,
                nowMillis - startMillis)
                && isGreylisted(rule.when().greylist(), session, recipient, nowMillis);
    }

    private int number(CountOf of, int rule, ScriptSession session) {
        return switch (of) {
            case CASES -> ++cases[rule];
            case CONNECTIONS -> session.connection();
            case MESSAGES -> session.message();
            case MESSAGES_OF_CONNECTION -> session.messages();
        };
    }

    private boolean isChosen(double share) {
        return share >= 1 || chance.nextDouble() < share;
    }

    /// Clients of one network share a triplet, because large senders try again from another address.
    private boolean isGreylisted(Duration wait, ScriptSession session, String recipient, long nowMillis) {
        if (wait.isZero()) {
            return true;
        }
        String client = session.client();
        int lastPart = client.indexOf('.') > 0 ? client.lastIndexOf('.') : client.length();
        long first = triplets.computeIfAbsent(
                client.substring(0, lastPart) + " " + session.sender() + " " + recipient, _ -> nowMillis);
        return nowMillis - first < wait.toMillis();
    }

    public synchronized ScriptFigures figures() {
        Map<String, Long> rules = new LinkedHashMap<>();
        for (int i = 0; i < applied.length; i++) {
            rules.merge(script.rules().get(i).name(), applied[i], Long::sum);
        }
        Map<String, Long> reached = new LinkedHashMap<>();
        phases.forEach((phase, count) -> reached.put(phase.word(), count));
        Map<String, ClientFigures> each = new LinkedHashMap<>();
        clients.forEach((name, count) -> each.put(name,
                new ClientFigures(count.connections, count.open, count.messages)));
        return new ScriptFigures(rules, reached, each, open, connections, messages);
    }
}
