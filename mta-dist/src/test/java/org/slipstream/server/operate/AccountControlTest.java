package org.slipstream.server.operate;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.AccountVerb;
import org.slipstream.events.account.AccountFile;
import org.slipstream.events.stream.UnloggedEvent;
import org.slipstream.settings.SettingsSource;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Header;
import org.slipstream.smtpin.policy.HeaderChange;
import org.slipstream.smtpin.policy.Ruling;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Accounts as sessions and operators see them. The time is virtual.
class AccountControlTest {
    private static final String PROVIDER = "198.51.100.7";

    @TempDir
    Path home;

    private final List<UnloggedEvent> events = new ArrayList<>();
    private long now = 1_800_000_000_000L;
    private boolean eventsFail;
    private Config config;
    private AccountControl accounts;

    @BeforeEach
    void open() throws IOException {
        settings("accounts.watch=hold", "accounts.user-per-minute=30", "accounts.domain-per-hour=40");
        AccountFile file = new AccountFile(home);
        accounts = new AccountControl(file.read(now), file, () -> config, event -> {
            if (eventsFail) {
                throw new IOException("No space left on device");
            }
            events.add(event);
        }, () -> now);
    }

    private void settings(String... lines) {
        config = ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), List.of(lines))).config();
    }

    private static Client client(String user, String address) {
        try {
            return new Client(1, InetAddress.getByName(address), Optional.empty(), true, Optional.empty(),
                    Optional.of(user).filter(name -> !name.isEmpty()), "submission");
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static Check.CheckedMessage message(String sender, int recipients) {
        return new Check.CheckedMessage(new QueueId(1L << 50), Envelope.of(Address.parse(sender),
                Collections.nCopies(recipients, Address.of("bob@far.example"))), 10, new Header(List.of()),
                Content.of(new byte[0]));
    }

    private Ruling rcpt(String user, String address, int accepted) {
        return accounts.rcpt(client(user, address), new Check.Rcpt(Address.parse("ann@shop.example"),
                Address.of("bob@far.example"), false, accepted));
    }

    private Ruling end(String user, String address, int recipients) {
        return accounts.end(client(user, address), message("ann@shop.example", recipients));
    }

    @Test
    void theRecipientThatExceedsACapIsRefusedForNow() {
        assertThat(rcpt("ann", PROVIDER, 29)).isEqualTo(Ruling.pass());
        assertThat(rcpt("ann", PROVIDER, 30)).isInstanceOfSatisfying(Ruling.Refuse.class,
                refused -> assertThat(refused.reply().toString()).isEqualTo(
                        "450 4.7.1 Error: too many recipients for this user, at most 30 within a minute; try again later"));
        assertThat(end("ann", PROVIDER, 30)).isEqualTo(Ruling.pass());
        assertThat(rcpt("ann", PROVIDER, 0)).isInstanceOf(Ruling.Refuse.class);
        assertThat(end("bob", PROVIDER, 11)).as("the domain").isInstanceOf(Ruling.Refuse.class);
        assertThat(end("bob", PROVIDER, 10)).isEqualTo(Ruling.pass());
        now += 65_000;
        assertThat(rcpt("ann", PROVIDER, 0)).as("the domain's hour").isInstanceOf(Ruling.Refuse.class);
        now += 66 * 60_000;
        assertThat(rcpt("ann", PROVIDER, 0)).isEqualTo(Ruling.pass());
    }

    @Test
    void mailOfOtherServersDoesNotCount() {
        assertThat(rcpt("", PROVIDER, 5_000)).isEqualTo(Ruling.pass());
        assertThat(end("", PROVIDER, 5_000)).isEqualTo(Ruling.pass());
        assertThat(accounts.account("@shop.example")).isEmpty();
        assertThat(end("", "127.0.0.1", 40)).as("an own client without a login").isEqualTo(Ruling.pass());
        assertThat(end("", "127.0.0.1", 1)).isInstanceOf(Ruling.Refuse.class);
    }

    @Test
    void spamThatTheFilterFindsHoldsFurtherMail() {
        Ruling[] verdict = {new Ruling.Pass(Optional.empty(),
                new HeaderChange(List.of(), List.of(new Header.Field("X-Spam", "Yes"))))};
        Check filter = accounts.watching(new Check() {
            @Override
            public String name() {
                return "rspamd";
            }

            @Override
            public Ruling end(Client client, CheckedMessage message) {
                return verdict[0];
            }
        });
        for (int i = 0; i < 4; i++) {
            assertThat(filter.end(client("ann", PROVIDER), message("ann@shop.example", 1))).isSameAs(verdict[0]);
            assertThat(end("ann", PROVIDER, 1)).isEqualTo(Ruling.pass());
        }
        verdict[0] = Ruling.reject(451, "4.7.1", "later");
        filter.end(client("ann", PROVIDER), message("ann@shop.example", 1));
        assertThat(end("ann", PROVIDER, 1)).as("greylisted").isEqualTo(Ruling.pass());
        verdict[0] = Ruling.reject(550, "5.7.1", "spam");
        filter.end(client("ann", PROVIDER), message("ann@shop.example", 1));
        assertThat(end("ann", PROVIDER, 1)).isInstanceOfSatisfying(Ruling.Pass.class,
                pass -> assertThat(pass.hold()).contains("mail of ann: 5 of 5 messages within an hour are spam"));
        assertThat(end("bob", PROVIDER, 1)).isEqualTo(Ruling.pass());
        assertThat(events).extracting(event -> event.kind().word()).containsExactly("account-held");
        assertThat(accounts.troubles()).singleElement().satisfies(trouble -> assertThat(trouble.meaning())
                .startsWith("mail of user ann is held"));
        settings("accounts.watch=alarm");
        assertThat(end("ann", PROVIDER, 1)).as("only told").isEqualTo(Ruling.pass());
        assertThat(accounts.troubles()).hasSize(1);
        settings("accounts.watch=off");
        assertThat(accounts.troubles()).isEmpty();
    }

    @Test
    void refusalsCountForTheUserOfTheMessageAndAReleaseEndsIt() {
        Envelope sent = message("ann@shop.example", 1).envelope();
        Envelope ofAnn = sent.withOrigin(new Origin("submission", "", "", "ann", "", Optional.empty()));
        for (int i = 0; i < 20; i++) {
            accounts.refused(sent);
            assertThat(accounts.suspicious()).isEmpty();
            accounts.refused(ofAnn);
        }
        assertThat(accounts.suspicious()).singleElement().satisfies(view -> assertThat(view.state()).isEqualTo("held"));
        eventsFail = true;
        assertThat(accounts.release(new AccountVerb.Release("ann", false, "root"))).as("without its event").isTrue();
        assertThat(accounts.release(new AccountVerb.Release("ann", false, "root"))).isFalse();
        assertThat(accounts.suspicious()).isEmpty();
    }

    @Test
    void aNetworkIsWhatAProviderHas() throws IOException {
        assertThat(AccountControl.network(InetAddress.getByName("198.51.100.7"))).isEqualTo("198.51.0.0/16");
        assertThat(AccountControl.network(InetAddress.getByName("2001:db8:1::1"))).isEqualTo("2001:0db8::/32");
    }

    @Test
    void aStopWritesWhatWasCounted() throws IOException {
        accounts.start();
        assertThat(end("ann", PROVIDER, 30)).isEqualTo(Ruling.pass());
        accounts.close();
        AccountFile file = new AccountFile(home);
        accounts = new AccountControl(file.read(now), file, () -> config, events::add, () -> now);
        assertThat(end("ann", PROVIDER, 1)).isInstanceOf(Ruling.Refuse.class);
    }
}
