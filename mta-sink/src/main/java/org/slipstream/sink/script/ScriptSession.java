package org.slipstream.sink.script;

import org.slipstream.sink.script.Reaction.After;

/// One connection to a scripted server: what the server has learned so far, and what the script and
/// its limits decide next. One thread.
public final class ScriptSession {
    private static final Reaction TOO_MANY_MESSAGES = Reaction
            .reply("421 4.7.0 Too many messages on this connection").then(After.CLOSE);
    private static final Reaction TOO_MANY_RECIPIENTS = Reaction.reply("452 4.5.3 Too many recipients");
    private static final Reaction TOO_MANY_ERRORS = Reaction.reply("421 4.7.0 Too many errors").then(After.CLOSE);

    private final ScriptRun run;
    private final String client;
    private final int connection;
    private final boolean overLimit;
    private String helo = "";
    private String sender = "";
    private int messages;
    private int message;
    private int recipients;
    private int errors;
    private boolean ended;

    ScriptSession(ScriptRun run, String client, int connection, boolean overLimit) {
        this.run = run;
        this.client = client;
        this.connection = connection;
        this.overLimit = overLimit;
    }

    ScriptSession(ScriptRun run, ScriptSession before, int connection) {
        this(run, before.client, connection, false);
        helo = before.helo;
        sender = before.sender;
    }

    /// What the server does now.
    ///
    /// @param argument the name of HELO, the sender of MAIL or a recipient; else empty
    public Reaction at(ScriptPhase phase, String argument, long nowMillis) {
        switch (phase) {
            case HELO -> helo = argument;
            case MAIL -> begin(argument);
            case RCPT -> recipients++;
            default -> {
            }
        }
        Reaction reaction = limit(phase);
        if (reaction.equals(Reaction.USUAL)) {
            reaction = run.decide(phase, this, argument, nowMillis);
        }
        if (reaction.refuses()) {
            if (phase == ScriptPhase.RCPT) {
                recipients--;
            }
            return error(reaction);
        }
        return reaction;
    }

    private void begin(String from) {
        sender = from;
        recipients = 0;
        messages++;
        message = run.nextMessage(client);
    }

    private Reaction limit(ScriptPhase phase) {
        ScriptLimits limits = run.script().limits();
        return switch (phase) {
            case CONNECT -> overLimit ? limits.refusal() : Reaction.USUAL;
            case MAIL -> messages > limits.messages() ? TOO_MANY_MESSAGES : Reaction.USUAL;
            case RCPT -> recipients > limits.recipients() ? TOO_MANY_RECIPIENTS : Reaction.USUAL;
            default -> Reaction.USUAL;
        };
    }

    /// A refusal, with the delay and the end that repeated errors cost.
    public Reaction error(Reaction refusal) {
        ScriptLimits limits = run.script().limits();
        errors++;
        if (errors >= limits.hardErrors() && refusal.goesOn()) {
            return TOO_MANY_ERRORS;
        }
        return errors > limits.softErrors() ? refusal.later(limits.errorDelay()) : refusal;
    }

    /// The connection ended. A second call does nothing.
    public void end() {
        if (!ended && !overLimit) {
            ended = true;
            run.closed(client);
        }
    }

    public String client() {
        return client;
    }

    public String helo() {
        return helo;
    }

    String sender() {
        return sender;
    }

    int connection() {
        return connection;
    }

    /// The number of the message, of all connections.
    int message() {
        return message;
    }

    /// The number of the message on this connection.
    int messages() {
        return messages;
    }
}
