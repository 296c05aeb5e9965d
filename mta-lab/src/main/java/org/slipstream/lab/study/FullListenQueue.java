package org.slipstream.lab.study;

import org.slipstream.core.Reply;
import org.slipstream.lab.EventList;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.random.RandomGenerator;

/// A server whose processes are all busy and whose listen queue is full.
///
/// A client is in one of four states: *served*, *queued*, *retransmitting* or *gone*. It
/// retransmits when its first packet found the queue full. Client or server then repeats a packet
/// after fixed numbers of seconds ([ServerModel.Overflow]).
///
/// When a session ends, the queue has room for one connection. The next packet takes that place,
/// and it is nearly always the packet of a new connection. A new connection arrives a few
/// milliseconds after a session has ended, while a retransmission comes every few seconds. So a
/// client that retransmits does so until its timeout. This is the mechanism of both studies: the
/// deferred share is the number of retransmitting clients divided by the timeout.
///
/// A client that gives up in the queue keeps its place, because the kernel hands a closed
/// connection to a process like any other. The process finds the connection closed and takes the
/// next.
final class FullListenQueue implements SimulatedListener {
    private static final long SECOND = 1_000;

    private enum ClientState {
        RETRANSMITTING, QUEUED, SERVED, GONE
    }

    private static final class WaitingClient {
        final ConnectionAttempt attempt;
        final long since;
        ClientState state = ClientState.RETRANSMITTING;

        WaitingClient(ConnectionAttempt attempt, long since) {
            this.attempt = attempt;
            this.since = since;
        }
    }

    private final ServerModel.Congested server;
    private final AssumedLatencies latencies;
    private final EventList clock;
    private final RandomGenerator random;
    private final Deque<WaitingClient> queue = new ArrayDeque<>();
    private int busy;

    FullListenQueue(ServerModel.Congested server, AssumedLatencies latencies, EventList clock,
            RandomGenerator random) {
        this.server = server;
        this.latencies = latencies;
        this.clock = clock;
        this.random = random;
    }

    @Override
    public void connect(ConnectionAttempt attempt) {
        WaitingClient client = new WaitingClient(attempt, clock.now());
        if (!enters(client)) {
            switch (server.overflow()) {
                case SYN_DROPPED ->
                    clock.at(client.since + Experiment.CONNECT_TIMEOUT_MILLIS, () -> giveUp(client, CONNECT_TIMEOUT));
                case ACK_DROPPED -> awaitGreeting(client, client.since);
            }
            retransmit(client, 0);
        }
    }

    private void retransmit(WaitingClient client, int retry) {
        if (retry < server.overflow().retransmitSeconds.size()) {
            clock.at(client.since + server.overflow().retransmitSeconds.get(retry) * SECOND, () -> {
                if (client.state == ClientState.RETRANSMITTING && !enters(client)) {
                    retransmit(client, retry + 1);
                }
            });
        }
    }

    /// Serves or queues the client.
    ///
    /// @return false when the queue is full
    private boolean enters(WaitingClient client) {
        if (busy < server.processes()) {
            serve(client);
        } else if (queue.size() < server.queueLength()) {
            client.state = ClientState.QUEUED;
            queue.add(client);
            if (server.overflow() == ServerModel.Overflow.SYN_DROPPED) {
                awaitGreeting(client, clock.now());
            }
        } else {
            return false;
        }
        return true;
    }

    private void awaitGreeting(WaitingClient client, long connectedMillis) {
        clock.at(connectedMillis + Experiment.GREETING_TIMEOUT_MILLIS, () -> giveUp(client, GREETING_TIMEOUT));
    }

    private void giveUp(WaitingClient client, Reply reason) {
        boolean late = reason == CONNECT_TIMEOUT
                ? client.state == ClientState.RETRANSMITTING
                : client.state != ClientState.SERVED;
        if (late && client.state != ClientState.GONE) {
            client.state = ClientState.GONE;
            client.attempt.failed(reason);
        }
    }

    private void serve(WaitingClient client) {
        client.state = ClientState.SERVED;
        busy++;
        clock.after(latencies.greeting().millis(random), client.attempt::greeted);
    }

    @Override
    public void sessionEnded() {
        busy--;
        while (busy < server.processes() && !queue.isEmpty()) {
            WaitingClient next = queue.remove();
            if (next.state == ClientState.QUEUED) {
                serve(next);
            }
        }
    }
}
