package org.slipstream.world;

import org.slipstream.sink.script.ScriptReader;
import org.slipstream.sink.server.SinkServer;
import org.slipstream.sink.store.CaughtMail;
import org.slipstream.sink.store.CaughtMessage;
import org.slipstream.sink.store.MailFiles;
import org.slipstream.sink.store.SessionLog;
import org.slipstream.world.WorldLedger.Submission;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The servers that a world sends to, their names in DNS, and how many connections the program may have to them.
final class WorldHosts {
    /// The address of a host has the number of its domain and its own.
    private static final Pattern HOST_ADDRESS = Pattern.compile("10\\.0\\.(\\d)\\.(\\d)");

    private final MailWorld world;
    private final WorldPlan plan;
    private final WorldLedger ledger;
    private final WorldOperator operator;
    private final Random script;

    WorldHosts(MailWorld world, WorldPlan plan, WorldLedger ledger, WorldOperator operator, Random script) {
        this.world = world;
        this.plan = plan;
        this.ledger = ledger;
        this.operator = operator;
        this.script = script;
    }

    void name(WorldDns dns) {
        for (int i = 0; i < MailWorld.DOMAINS; i++) {
            for (int host = 1; host <= hosts(i); host++) {
                dns.add("d" + i + ".example", "mx" + i + (host == 1 ? "" : "-" + host) + ".example", address(i, host));
            }
        }
    }

    void start() {
        for (int i = 0; i < MailWorld.DOMAINS; i++) {
            for (int host = 1; host <= hosts(i); host++) {
                startPeer(i, host);
            }
        }
    }

    /// The settings that narrow some of the domains.
    String settings() {
        return """
                [destination."d0.example"]
                lanes = 1
                """ + (hosts(1) == 1 ? "" : """
                [destination."d1.example"]
                lanes = 1
                """);
    }

    /// Two domains have several hosts, if the plan has.
    private int hosts(int domain) {
        return domain == 1 || domain == 2 ? plan.shape().hosts() : 1;
    }

    private static String address(int domain, int host) {
        return "10.0." + domain + "." + host;
    }

    private static final String HOST = """
            title = "a host of a world"
            seed = %d
            [[rules]]
            on = "rcpt"
            recipient = "nobody*"
            reply = "550 5.1.1 User unknown"
            [[rules]]
            on = ["connect", "mail", "rcpt", "content"]
            until = "%dm"
            chance = %s
            reply = "451 4.3.0 Try again later"
            [[rules]]
            on = ["rcpt", "data", "content"]
            until = "%dm"
            chance = %s
            then = "%s"
            """;
    private static final String SLOW = """
            [[rules]]
            on = ["connect", "mail", "rcpt", "content"]
            until = "%dm"
            delay = "%dms"
            """;

    private void startPeer(int number, int host) {
        double drops = world.hostsAnswer() ? 0 : script.nextInt(5) / 100.0;
        // Mail waits for a bad host.
        int refuses = script.nextInt(4) == 0 ? 50 + script.nextInt(45) : script.nextInt(30);
        String text = HOST.formatted(script.nextInt(1_000), plan.minutes(), refuses / 100.0,
                plan.minutes(), drops, List.of("close", "reset", "stall").get(script.nextInt(3)));
        if (plan.shape().crowd() > 0) {
            text += SLOW.formatted(plan.minutes(), 50 + script.nextInt(4_000));
        }
        try {
            SinkServer.start(new InetSocketAddress(address(number, host), 25), ScriptReader.read("host", text),
                    new CaughtMail(CaughtMail.Bounds.NOTHING, MailFiles.NONE), new SessionLog(1),
                    message -> arrived(number, message));
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private void arrived(int peer, CaughtMessage message) {
        String content = new String(message.content(), StandardCharsets.UTF_8);
        Matcher token = WorldCheck.TOKEN.matcher(content);
        if (!token.find()) {
            world.trouble("a message without a number arrives at host " + peer);
            return;
        }
        int number = Integer.parseInt(token.group(1));
        world.tell("host " + peer + " takes " + number + " for " + message.recipients());
        Submission submission = ledger.submissions.get(number);
        if (submission == null) {
            world.trouble("message " + number + " was never sent");
            return;
        }
        message.recipients().forEach(each -> WorldLedger.count(submission.delivered, each));
    }

    /// Only connections at work count: one that is idle or closing is not of the lanes of its domain. With several
    /// shards, a lane may be lent before its connection is at its end.
    void lookAtLimit(WorldNetwork.WorldLink opened) {
        WorldScheduler.Process running = world.program();
        Matcher address = HOST_ADDRESS.matcher(opened.remote().getAddress().getHostAddress());
        if (running == null || !address.matches()) {
            return;
        }
        int domain = Integer.parseInt(address.group(1));
        world.tell("a connection to host " + domain + " opens");
        boolean isNarrow = domain == 0 || domain == 1 && hosts(1) > 1;
        Optional<Integer> lanes = isNarrow ? Optional.of(1) : operator.limit(domain);
        long open = 0;
        for (int host = 1; host <= hosts(domain); host++) {
            open += world.network().atWorkTo(running, InetAddress.ofLiteral(address(domain, host)));
        }
        int most = plan.shape().growing() ? plan.shape().shards() + 2 : plan.shape().shards();
        int lent = most > 1 ? most : 0;
        if (lanes.isPresent() && open > lanes.get() + lent) {
            world.trouble(
                    open + " connections at work to the hosts of d" + domain + ".example, which has " + lanes.get()
                            + " lanes");
        }
    }
}
