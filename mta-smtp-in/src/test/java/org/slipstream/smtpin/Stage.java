package org.slipstream.smtpin;

import org.slipstream.core.Address;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.auth.GuessGuard;
import org.slipstream.smtpin.command.Extension;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.ClientNetwork;
import org.slipstream.smtpin.policy.EarlyTalker;
import org.slipstream.smtpin.policy.HeaderForm;
import org.slipstream.smtpin.policy.HeaderPatterns;
import org.slipstream.smtpin.policy.Policy;
import org.slipstream.smtpin.policy.Rates;
import org.slipstream.smtpin.policy.RelayForms;
import org.slipstream.smtpin.policy.Ruling;
import org.slipstream.smtpin.policy.SenderBelongs;
import org.slipstream.smtpin.protocol.ServicePolicy;

import java.net.InetAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// The scene of a dialogue, as its `set:` lines describe it.
final class Stage {
    final CollectedMessages messages = new CollectedMessages();
    private ListenerConfig config = Ports.config();
    private Policy policy = Policy.standard();
    private boolean etrn;
    private Duration dataCredit = Duration.ofSeconds(60);

    Stage(List<String> settings) {
        for (String setting : settings) {
            String[] pair = setting.split("=", 2);
            set(pair[0], pair[1]);
        }
    }

    private void set(String name, String value) {
        switch (name) {
            case "disk" -> messages.disk = value.toLowerCase(Locale.ROOT);
            case "service" -> config = config.withService(service(value));
            case "rules" -> messages.rules = new MessageHandler.ContentRules(value.contains("normalize"),
                    value.contains("complete"));
            case "offer" -> config = config.withService(config.service().with(Extension.valueOf(value)));
            case "tls" -> config = config.withTls(Certificates.mx());
            case "policy" -> policy = policy(value);
            case "etrn" -> etrn = true;
            case "speaker" ->
                config = config.withTrust(new ListenerConfig.ProxyTrust(_ -> false, _ -> true, _ -> false));
            case "trusted-loopback" -> config = config.withTrust(
                    new ListenerConfig.ProxyTrust(InetAddress::isLoopbackAddress, InetAddress::isLoopbackAddress,
                            _ -> false));
            case "dataCreditMillis" -> dataCredit = Duration.ofMillis(Long.parseLong(value));
            case "proxy" -> config = config.withTrust(new ListenerConfig.ProxyTrust(_ -> true, _ -> false, _ -> false));
            default -> config = Ports.with(config, name, Long.parseLong(value));
        }
    }

    static ServicePolicy service(String name) {
        return switch (name) {
            case "full" -> full();
            case "lmtp" -> ServicePolicy.lmtp().with(Extension.CHUNKING);
            case "submission" -> ServicePolicy.submission();
            case "submissions" -> ServicePolicy.submissions();
            case "clear" -> ServicePolicy.mx().withAuthentication(ServicePolicy.Authentication.OFFERED, true);
            case "mx-auth" -> ServicePolicy.mx().withAuthentication(ServicePolicy.Authentication.OFFERED, false);
            case "must" -> ServicePolicy.mx().withAuthentication(ServicePolicy.Authentication.REQUIRED, true);
            default -> throw new IllegalArgumentException("no service " + name);
        };
    }

    /// All services.
    static ServicePolicy full() {
        return ServicePolicy.mx().withFutureRelease(86_400).withDeliverBy(60)
                .with(Extension.CHUNKING, EnumSet.complementOf(EnumSet.of(Extension.AUTH, Extension.XCLIENT))
                        .toArray(Extension[]::new));
    }

    private static Policy policy(String name) {
        List<Check> checks = switch (name) {
            case "strict" -> List.of(new EarlyTalker(), new RelayForms(client -> client.user().isPresent()),
                    new SenderBelongs((user, sender) -> sender.localPart().equals(user)), new HeaderForm(true),
                    new HeaderPatterns(List.of(
                            new HeaderPatterns.Rule("Subject", Pattern.compile("(?i)cheap pills"),
                                    Ruling.reject(550, "5.7.1", "We are not ill")),
                            new HeaderPatterns.Rule("Subject", Pattern.compile("lottery"), Ruling.tag("lottery")),
                            new HeaderPatterns.Rule("X-Trusted", Pattern.compile("yes"), Ruling.accept()))));
            // A clock that stands still.
            case "rates" -> List.of(new Rates(new Rates.RateSettings(5, 2, 3, ClientNetwork.standard(), 100), () -> 0));
            case "nobody" ->
                List.of(new Rates(new Rates.RateSettings(0, 2, 3, ClientNetwork.standard(), 100), () -> 0));
            case "names" -> List.of(new Names());
            default -> throw new IllegalArgumentException("no policy " + name);
        };
        return new Policy(checks);
    }

    /// Decides by names, at each moment.
    private static final class Names implements Check {
        @Override
        public String name() {
            return "names";
        }

        @Override
        public Ruling hello(Client client) {
            return switch (client.helo().orElse("")) {
                case "bad.example" -> Ruling.reject(550, "5.7.1", "Not you");
                case "odd.example" -> Ruling.tag("odd name");
                default -> Ruling.pass();
            };
        }

        @Override
        public Ruling mail(Client client, Optional<Address> sender, long bytes) {
            return switch (sender.map(Address::localPart).orElse("")) {
                case "odd" -> Ruling.tag("odd sender");
                case "grey" -> Ruling.defer("4.7.1", "Come again");
                case "gone" -> Ruling.reject(421, "4.7.0", "Not today");
                default -> Ruling.pass();
            };
        }
    }

    Duration dataCredit() {
        return dataCredit;
    }

    ListenerConfig config() {
        return config;
    }

    ListenerServices services() {
        ListenerServices services = ListenerServices.of(messages).withPolicy(policy).withCredentials(new Users(),
                new GuessGuard(new GuessGuard.GuessSettings(Duration.ZERO, Duration.ZERO, 3, Duration.ofMinutes(1),
                        Duration.ofMinutes(1)), System::nanoTime));
        return etrn ? services.withEtrn(Stage::wake) : services;
    }

    private static Reply wake(Client client, String node) {
        return switch (node) {
            case "here.example" -> Reply.of(253, "2.0.0", "3 pending messages for node here.example started");
            case "empty.example" -> Reply.of(251, "2.0.0", "No messages waiting for node empty.example");
            default -> Reply.of(459, "4.7.1", "Node " + node + " not allowed");
        };
    }
}
