package org.slipstream.config;

import org.slipstream.core.Address;
import org.slipstream.core.Network;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.text.Ascii;
import org.slipstream.core.text.Controls;
import org.slipstream.guard.policy.BlockList;
import org.slipstream.guard.tls.TlsSettings;
import org.slipstream.local.address.MapFile;
import org.slipstream.qmgr.flow.Feedback;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.RetrySettings;
import org.slipstream.qmgr.wake.WakeDestination;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.Form;
import org.slipstream.settings.Forms;
import org.slipstream.settings.KnownForms;
import org.slipstream.settings.Value;
import org.slipstream.smtpout.source.PoolSettings;
import org.slipstream.smtpout.wire.ProxyExit;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Forms of values that know about mail and networks. None of them queries DNS: a host name is
/// refused where an address is required.
final class MailForms implements KnownForms {
    /// A wider block would make an open relay, which RFC 5321 section 7.8 allows a server to
    /// refuse.
    private static final int WIDEST_V4 = 8;
    private static final int WIDEST_V6 = 16;

    private static final Map<String, Form<?>> NAMED = Map.ofEntries(Map.entry("hostname", hostname()),
            Map.entry("database", database()), Map.entry("domain", domain()),
            Map.entry("own-domain", ownDomain()), Map.entry("own-address", ownAddress()),
            Map.entry("retry-policy", retryPolicy()), Map.entry("relay-network", new RelayForm()),
            Map.entry("mailbox", mailbox()), Map.entry("person", person()), Map.entry("delimiter", delimiter()),
            Map.entry("map", map()), Map.entry("masquerade", masquerade()), Map.entry("local-part", localPart()),
            Map.entry("name", name()), Map.entry("node-name", nodeName()), Map.entry("argument", argument()),
            Map.entry("user", user()),
            Map.entry("provider-host", providerHost()), Map.entry("block", block()),
            Map.entry("exit", exit()), Map.entry("day", day()),
            Map.entry("pool-member", poolMember()), Map.entry("sender-line", senderLine()),
            Map.entry("user-name", userName()), Map.entry("login-source", loginSource()),
            Map.entry("web-page", webPage()), Map.entry("loopback", loopback()),
            Map.entry("local-delivery", localDelivery()),
            Map.entry("wake-destination", new WakeForm()),
            Map.entry("mailbox-lookup", mailboxLookup()),
            Map.entry("address-v4", address(Inet4Address.class, "192.0.2.1")),
            Map.entry("address-v6", address(Inet6Address.class, "2001:db8::1")));
    private static final Map<Class<?>, Form<?>> BY_TYPE = Map.of(Path.class, path(), InetSocketAddress.class, server(),
            Network.class, network(), TlsSettings.Pair.class, pair(), BlockList.class, blockList(),
            Feedback.class, feedback(), Rate.class, rate(), RetrySettings.RetryFactors.class, factors(),
            RetrySettings.RetryPauses.class, pauses(), RetrySettings.JitterPercent.class, percent());
    private static final Map<Class<?>, Form<?>> OPTIONAL = Map.of(Path.class, optionalPath(), InetSocketAddress.class,
            listener(),
            Inet4Address.class, source(Inet4Address.class, "192.0.2.1"), Inet6Address.class,
            source(Inet6Address.class, "2001:db8::1"), URI.class, webAddress());

    /// Characters of one argument.
    private static final int MOST_ARGUMENT = 1_000;

    static final MailForms ALL = new MailForms();

    private MailForms() {}

    @Override
    public Form<?> named(String name) {
        return known(NAMED, name);
    }

    @Override
    public Form<?> of(Class<?> type) {
        return known(BY_TYPE, type);
    }

    @Override
    public Form<?> optional(Class<?> type) {
        return known(OPTIONAL, type);
    }

    private static <K> Form<?> known(Map<K, Form<?>> forms, K key) {
        return Optional.<Form<?>>ofNullable(forms.get(key))
                .orElseThrow(() -> new IllegalStateException("no form of values for " + key));
    }

    /// The flag that it was before has a meaning.
    private static final class WakeForm implements Form<WakeDestination> {
        @Override
        public Optional<WakeDestination> read(Value value, String key, Complaints complaints) {
            String word = switch (value) {
                case Value.Text text -> text.text();
                case Value.Flag flag -> Boolean.toString(flag.flag());
                default -> "";
            };
            return switch (word.toLowerCase(Locale.ROOT)) {
                case "off", "false" -> Optional.of(WakeDestination.OFF);
                case "after-failure", "true" -> Optional.of(WakeDestination.AFTER_FAILURE);
                case "thread" -> Optional.of(WakeDestination.THREAD);
                default -> Forms.refuse(value, key, complaints, words());
            };
        }

        @Override
        public String words() {
            return "one of \"after-failure\", \"off\", \"thread\"";
        }
    }

    private static Form<Feedback> feedback() {
        return Forms.text("an amount from 0 to 1 such as \"1\", \"1/4\", \"1/concurrency\" or \"1/sqrt_concurrency\"",
                Feedback::parse);
    }

    private static Form<String> retryPolicy() {
        return Forms.text("the name of a retry policy such as \"postfix\"",
                text -> Optional.of(text).filter(name -> name.matches("[A-Za-z0-9._-]*")));
    }

    private static Form<RetrySettings.RetryFactors> factors() {
        return Forms.text("whole numbers from 0 to 100000 between blanks, such as \"1 1 2 3 5\"",
                RetrySettings.RetryFactors::parse);
    }

    private static Form<RetrySettings.RetryPauses> pauses() {
        return Forms.text("durations of at most a year between blanks, such as \"5m 15m 1h\"",
                RetrySettings.RetryPauses::parse);
    }

    private static Form<RetrySettings.JitterPercent> percent() {
        return Forms.text("a percentage from \"0%\" to \"100%\"", RetrySettings.JitterPercent::parse);
    }

    private static Form<Rate> rate() {
        return Forms.text("a number of deliveries and a period such as \"100/1h\" or \"20/1m\"", Rate::parse);
    }

    private static Form<Optional<InetSocketAddress>> loopback() {
        return Forms.text("\"off\", or an address and port of loopback such as \"127.0.0.1:8025\"; from another"
                + " machine it is reached by a tunnel: ssh -L 8025:127.0.0.1:8025 HOST",
                text -> text.equals("off")
                        ? Optional.of(Optional.empty())
                        : socketAddress(text, 0, false).filter(where -> where.getAddress().isLoopbackAddress())
                                .map(Optional::of));
    }

    /// One argument of a program.
    private static Form<String> argument() {
        return Forms.text("an argument of one line and 1,000 characters at most",
                text -> Optional.of(text).filter(each -> each.length() <= MOST_ARGUMENT && !Controls.in(each)));
    }

    /// A user of the system, with a group.
    private static Form<String> user() {
        return Forms.text("a user of the system such as \"vmail\", or \"user:group\"",
                text -> Optional.of(text).filter(name -> name.matches("([A-Za-z0-9_][A-Za-z0-9_.-]{0,31}"
                        + "(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,31})?)?")));
    }

    /// The name of another section, which the operator chose.
    static Form<String> name() {
        return Forms.text("a name of letters, digits and hyphens",
                text -> Optional.of(text).filter(name -> name.matches("[A-Za-z0-9-]{1,64}")));
    }

    /// Inner empty: this server is alone.
    private static Form<Optional<String>> nodeName() {
        return Forms.text("a name of letters, digits, hyphens and dots, 64 at most, or \"\" for none",
                text -> text.isEmpty()
                        ? Optional.of(Optional.empty())
                        : Optional.of(text).filter(name -> name.matches("[A-Za-z0-9.-]{1,64}")).map(Optional::of));
    }

    /// Inner empty: none.
    private static Form<Optional<ProxyExit>> exit() {
        return Forms.text("\"none\", or an address and port such as \"socks5://192.0.2.9:1080\" or"
                + " \"proxy://[2001:db8::9]:2525\"",
                text -> text.equals("none") || text.isEmpty()
                        ? Optional.of(Optional.empty())
                        : ProxyExit.parse(text).map(Optional::of));
    }

    /// Inner empty: none.
    private static Form<Optional<LocalDate>> day() {
        return Forms.text("a day such as \"2026-12-01\", or \"\" for none",
                text -> text.isEmpty() ? Optional.of(Optional.empty()) : date(text).map(Optional::of));
    }

    private static Optional<LocalDate> date(String text) {
        try {
            return Optional.of(LocalDate.parse(text)).filter(day -> day.getYear() >= 2000 && day.getYear() < 10_000);
        } catch (DateTimeParseException none) {
            return Optional.empty();
        }
    }

    private static Form<PoolSettings.PoolMember> poolMember() {
        return Forms.text("a source and its weight from 1 to 1000, such as \"a:3\" or \"a\"",
                PoolSettings.PoolMember::parse);
    }

    private static Form<String> senderLine() {
        return Forms.text("a domain or an address of senders",
                text -> text.contains("@")
                        ? Address.parse(text).map(address -> address.folded().key())
                        : Optional.of(text.toLowerCase(Locale.ROOT)).filter(Address::isDomain));
    }

    private static Form<String> userName() {
        return Forms.text("the name of a user, 255 characters at most",
                text -> Optional.of(text).filter(name -> !name.isBlank() && name.length() <= 255));
    }

    static Form<String> hostname() {
        return Forms.text("a host name such as \"mail.example.org\" or an address in brackets",
                text -> Address.isDomain(text) && Ascii.is(text)
                        ? Optional.of(text.toLowerCase(Locale.ROOT))
                        : Optional.empty());
    }

    /// Inner empty: none, the queue index is a file.
    static Form<Optional<String>> database() {
        return Forms.text("\"\" or \"jdbc:postgresql://host/database?user=name\"",
                text -> text.isEmpty() || text.startsWith("jdbc:postgresql:")
                        ? Optional.of(Optional.of(text).filter(url -> !url.isEmpty()))
                        : Optional.empty());
    }

    static Form<String> domain() {
        return Forms.text("a domain such as \"example.org\"",
                text -> Address.isDomain(text) ? Optional.of(text.toLowerCase(Locale.ROOT)) : Optional.empty());
    }

    /// Inner empty: none.
    static Form<Optional<String>> ownDomain() {
        return Forms.text("a domain such as \"example.org\", or \"\" for none",
                text -> text.isEmpty()
                        ? Optional.of(Optional.empty())
                        : Optional.of(text.toLowerCase(Locale.ROOT)).filter(Address::isDomain).map(Optional::of));
    }

    /// Inner empty: none.
    private static Form<Optional<Address>> ownAddress() {
        return Forms.text("an address such as \"feedback@example.org\", or \"\" for none",
                text -> text.isEmpty() ? Optional.of(Optional.empty()) : Address.parse(text).map(Optional::of));
    }

    /// Inner empty: not opened.
    static Form<Optional<InetSocketAddress>> listener() {
        return Forms.text("an address with port such as \"127.0.0.1:2525\", \"[::1]:2525\" or \"*:25\", or \"off\"",
                text -> text.isEmpty() || text.equals("off")
                        ? Optional.of(Optional.empty())
                        : socketAddress(text, 0, true).map(Optional::of));
    }

    static Form<InetSocketAddress> server() {
        return Forms.text("an address with port such as \"192.0.2.53:53\"", text -> socketAddress(text, 1, false));
    }

    /// Inner empty: any.
    static Form<Optional<InetAddress>> source(Class<? extends InetAddress> family, String example) {
        return Forms.text("an address such as \"" + example + "\", or \"\" for any",
                text -> text.isEmpty()
                        ? Optional.of(Optional.empty())
                        : literal(text.indexOf(':') < 0 ? text : "[" + text + "]").filter(family::isInstance)
                                .map(Optional::of));
    }

    /// The text of an address of this family.
    static Form<String> address(Class<? extends InetAddress> family, String example) {
        return Forms.text("an address such as \"" + example + "\"",
                text -> literal(text.indexOf(':') < 0 ? text : "[" + text + "]").filter(family::isInstance)
                        .map(InetAddress::getHostAddress));
    }

    private static Form<String> providerHost() {
        return Forms.text("a host such as \"mx.example.org\", or \".example.org\" for all hosts below",
                ProviderTable::host);
    }

    /// A block of addresses as text.
    private static Form<String> block() {
        return Forms.text("a block of addresses such as \"192.0.2.0/24\" or \"2001:db8::/32\"",
                text -> Network.parse(text).map(Network::toString));
    }

    static Form<Network> network() {
        return Forms.text("a block of addresses such as \"192.0.2.0/24\" or \"2001:db8::/32\"", Network::parse);
    }

    static Form<MapFile> map() {
        return Forms.text("a path, or \"regexp:\" and a path (other kinds of tables are not supported)",
                MapFile::parse);
    }

    private static Form<String> masquerade() {
        return Forms.text("a domain such as \"example.org\", or \"!\" and a domain",
                text -> Address.isDomain(text.startsWith("!") ? text.substring(1) : text)
                        ? Optional.of(text.toLowerCase(Locale.ROOT))
                        : Optional.empty());
    }

    private static Form<String> localPart() {
        return Forms.text("a local part", text -> localPart(text.toLowerCase(Locale.ROOT)));
    }

    /// One or two names of files, between blanks.
    static Form<TlsSettings.Pair> pair() {
        return Forms.text("\"certificate-file key-file\" or one file with both", text -> {
            String[] files = text.strip().split("\\s+");
            return text.isBlank() || files.length > 2
                    ? Optional.empty()
                    : Forms.path(files[0]).flatMap(
                            first -> Forms.path(files[files.length - 1])
                                    .map(last -> new TlsSettings.Pair(first, last)));
        });
    }

    static Form<BlockList> blockList() {
        return Forms.text("a zone such as \"list.example\", with \" tag\" behind it to tag only", text -> {
            String[] words = text.strip().split("\\s+");
            boolean tag = words.length == 2 && words[1].equals("tag");
            return (words.length == 1 || tag) && Address.isDomain(words[0]) && !words[0].startsWith("[")
                    ? Optional.of(new BlockList(words[0].toLowerCase(Locale.ROOT), tag))
                    : Optional.empty();
        });
    }

    static Form<String> mailbox() {
        return Forms.text("a local part, a full address or \"*\"",
                text -> text.equals("*") ? Optional.of(text) : localPartOrAddress(text));
    }

    static Form<String> person() {
        return Forms.text("a local part or a full address",
                text -> text.equals("*") ? Optional.empty() : localPartOrAddress(text));
    }

    private static Optional<String> localPartOrAddress(String text) {
        return text.contains("@") ? Address.parse(text).map(Address::key) : localPart(text);
    }

    /// Inner empty: off.
    static Form<Optional<String>> delimiter() {
        return Forms.text("one character such as \"+\", or \"\" for none",
                text -> text.isEmpty()
                        ? Optional.of(Optional.empty())
                        : text.length() == 1 && text.charAt(0) > ' ' && text.charAt(0) < 127 && !text.equals("@")
                                ? Optional.of(Optional.of(text))
                                : Optional.empty());
    }

    /// Inner empty: the file of users; otherwise a socket of Dovecot, `unix:/path` or `host:port`.
    static Form<Optional<String>> loginSource() {
        return Forms.text("\"users\", \"dovecot:/path\" or \"dovecot:host:port\"",
                text -> text.equals("users") ? Optional.of(Optional.empty()) : dovecot(text).map(Optional::of));
    }

    /// Inner empty: none.
    static Form<Optional<String>> mailboxLookup() {
        return Forms.text("\"dovecot:/path\", \"dovecot:host:port\", or \"\" for none",
                text -> text.isEmpty() ? Optional.of(Optional.empty()) : dovecot(text).map(Optional::of));
    }

    /// Inner empty: none.
    static Form<Optional<URI>> webAddress() {
        return Forms.text("an address such as \"http://127.0.0.1:11333\", or \"\" for none",
                text -> text.isEmpty()
                        ? Optional.of(Optional.empty())
                        : httpUrl(text).filter(url -> url.getQuery() == null).map(Optional::of));
    }

    /// The same, with a query if there is one: services for chats have their keys there.
    private static Form<Optional<URI>> webPage() {
        return Forms.text("an address such as \"https://host.example/path?key=1\", without a user and a fragment, or"
                + " \"\" for none",
                text -> text.isEmpty() ? Optional.of(Optional.empty()) : httpUrl(text).map(Optional::of));
    }

    private static Optional<URI> httpUrl(String text) {
        try {
            return Optional.of(new URI(text)).filter(url -> url.getHost() != null && url.getUserInfo() == null
                    && url.getFragment() == null && List.of("http", "https").contains(url.getScheme()));
        } catch (URISyntaxException none) {
            return Optional.empty();
        }
    }

    /// Inner empty: Maildirs; otherwise the next hop of LMTP.
    static Form<Optional<String>> localDelivery() {
        return Forms.text("\"maildir\", \"lmtp:unix:/path\" or \"lmtp:host:port\"",
                text -> text.equals("maildir")
                        ? Optional.of(Optional.empty())
                        : RouteBook.target(text).filter(RouteTarget.Lmtp.class::isInstance)
                                .map(target -> Optional.of(((RouteTarget.Lmtp) target).endpoint())));
    }

    private static Optional<String> dovecot(String text) {
        String socket = text.startsWith("dovecot:/") ? "unix:" + text.substring(8) : text.replaceFirst("^dovecot:", "");
        return text.startsWith("dovecot:")
                ? RouteBook.target("lmtp:" + socket).filter(RouteTarget.Lmtp.class::isInstance)
                        .map(target -> ((RouteTarget.Lmtp) target).endpoint())
                : Optional.empty();
    }

    static Form<Path> path() {
        return Forms.text("a path", text -> text.isEmpty() ? Optional.empty() : Forms.path(text));
    }

    /// Inner empty: not set.
    static Form<Optional<Path>> optionalPath() {
        return Forms.text("a path, or \"\" for none",
                text -> text.isEmpty() ? Optional.of(Optional.empty()) : Forms.path(text).map(Optional::of));
    }

    static Optional<String> localPart(String text) {
        return Address.parse(text + "@host.invalid").map(Address::localPart);
    }

    /// `host:port` with a literal host, `localhost`, or `*` for all addresses of this machine.
    static Optional<InetSocketAddress> socketAddress(String text, int leastPort, boolean wildcard) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            return Optional.empty();
        }
        Optional<Integer> port = port(text.substring(colon + 1), leastPort);
        String host = text.substring(0, colon);
        if (port.isEmpty()) {
            return Optional.empty();
        }
        if (host.equals("*")) {
            return wildcard ? Optional.of(new InetSocketAddress(port.get())) : Optional.empty();
        }
        return literal(host.equals("localhost") ? "127.0.0.1" : host)
                .map(address -> new InetSocketAddress(address, port.get()));
    }

    static Optional<Integer> port(String text, int least) {
        if (!text.matches("[0-9]{1,5}")) {
            return Optional.empty();
        }
        int port = Integer.parseInt(text);
        return port >= least && port <= 65535 ? Optional.of(port) : Optional.empty();
    }

    /// An IPv4 address, or an IPv6 address in brackets.
    static Optional<InetAddress> literal(String host) {
        boolean six = host.startsWith("[") && host.endsWith("]");
        boolean four = host.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
        if (!six && !four) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.ofLiteral(six ? host.substring(1, host.length() - 1) : host));
        } catch (IllegalArgumentException none) {
            return Optional.empty();
        }
    }

    private record RelayForm() implements Form<Network> {
        @Override
        public Optional<Network> read(Value value, String key, Complaints complaints) {
            Optional<Network> network = value instanceof Value.Text text
                    ? Network.parse(text.text())
                    : Optional.empty();
            if (network.isEmpty()) {
                return Forms.refuse(value, key, complaints, words());
            }
            int widest = network.get().base().getAddress().length == 4 ? WIDEST_V4 : WIDEST_V6;
            if (network.get().prefixBits() < widest) {
                complaints.add(value.place(), key, key + " = " + value.toToml() + " would make an open relay",
                        Optional.of("name the networks of your own clients, none wider than /" + widest));
                return Optional.empty();
            }
            return network;
        }

        @Override
        public String words() {
            return "a block of addresses such as \"192.0.2.0/24\" or \"2001:db8::/32\"";
        }
    }
}
