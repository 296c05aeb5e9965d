package org.slipstream.qmgr.wake;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;

import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// The class of an error, from the texts that servers send and this server writes.
class ErrorClassTest {
    private static Reply reply(String line) {
        String rest = line.substring(4);
        int blank = rest.indexOf(' ');
        Optional<EnhancedStatus> status = blank < 0
                ? Optional.empty()
                : EnhancedStatus.parse(rest.substring(0, blank));
        return new Reply(Integer.parseInt(line.substring(0, 3)), status,
                List.of(status.isPresent() ? rest.substring(blank + 1) : rest));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            postgrey | 450 4.2.0 <a@b.example>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/b.example.html
            SQLgrey | 450 4.7.1 <a@b.example>: Recipient address rejected: Greylisted for 5 minutes
            milter-greylist | 451 4.7.1 Greylisting in action, please come back in 00:05:00
            rspamd, Plesk | 451 4.7.1 Service unavailable - try again later
            Exim | 451 Greylisted, please try again in 300 seconds
            spamd of OpenBSD | 451 Temporary failure, please try again later.
            a busy one | 421 4.7.0 You are graylisted, try again in five minutes
            this server | 450 4.2.0 Greylisted, please come back later
            """)
    void greylisting(String server, String line) {
        assertThat(ErrorClass.of(reply(line))).isEqualTo(ErrorClass.GREYLISTING);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            Gmail | 421 4.7.0 Our system has detected an unusual rate of unsolicited mail originating from your IP address.
            Gmail | 421 4.7.28 Our system has detected an unusual rate of unsolicited mail
            Gmail | 421 4.4.5 Server busy, try again later.
            Gmail | 450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages
            Outlook | 451 4.7.500 Server busy. Please try again later from [192.0.2.2]. (AS761)
            Outlook | 451 4.7.650 The mail server [192.0.2.2] has been temporarily rate limited due to IP reputation.
            Exchange | 452 4.3.1 Insufficient system resources
            Yahoo | 421 4.7.0 [TSS04] Messages from 192.0.2.2 temporarily deferred due to user complaints
            GMX | 421 gmx.net (mxgmx104) Nemesis ESMTP Service not available
            Postfix | 421 4.7.0 mx.example Error: too many connections from 192.0.2.2
            sendmail | 452 4.3.2 Connection rate limit exceeded.
            a server that stops | 421 4.3.2 Service shutting down
            """)
    void load(String server, String line) {
        assertThat(ErrorClass.of(reply(line))).isEqualTo(ErrorClass.LOAD);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            Gmail | 452 4.2.2 The email account that you tried to reach is over quota.
            Dovecot | 452 4.2.2 <a@b.example> Quota exceeded (mailbox for user is full)
            Exim | 452 mailbox is full
            a host | 422 4.2.2 Quota limit exceeded
            without status | 450 user a@b.example is over quota
            """)
    void fullMailbox(String server, String line) {
        assertThat(ErrorClass.of(reply(line))).isEqualTo(ErrorClass.FULL_MAILBOX);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            DNS | 451 4.4.3 DNS lookup for far.example failed: SERVFAIL
            DNS | 451 4.4.4 no usable host
            TLS | 450 4.7.4 TLS is required, but was not offered
            TLS | 450 4.7.5 TLS is required for mx.far.example[192.0.2.1]:25, but failed: certificate has expired
            TLS | 454 4.7.0 TLS not available due to temporary reason
            REFUSED | 450 4.4.1 connect to mx.far.example[192.0.2.1]:25: Connection refused
            REFUSED | 450 4.4.2 Timeout exceeded
            REFUSED | 450 4.4.1 delivery temporarily suspended: connect to mx.far.example[192.0.2.1]:25: Connection refused
            OTHER | 451 Temporary local problem - please try later
            OTHER | 450 4.7.1 Client host rejected: cannot find your reverse hostname
            OTHER | 450 4.1.8 <a@b.example>: Sender address rejected: Domain not found
            OTHER | 452 4.5.3 Too many recipients
            OTHER | 451 4.3.0 queue file read error
            """)
    void theOthers(ErrorClass expected, String line) {
        assertThat(ErrorClass.of(reply(line))).isEqualTo(expected);
    }
}
