package org.slipstream.smtpout.source;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Reply;

import static org.assertj.core.api.Assertions.assertThat;

/// Replies about the address of the client, and replies that only look like them.
class BlockListReplyTest {
    @ParameterizedTest
    @ValueSource(strings = {
            "5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org",
            "5.7.1 Messages from [192.0.2.1] weren't sent. Please contact your provider since part of their network is"
                    + " on our block list (S3140).",
            "Your IP 192.0.2.1 is listed at bl.spamcop.net",
            "Mail from 192.0.2.1 refused, see RBL server b.barracudacentral.org",
            "access denied, you are blacklisted",
            "5.7.1 Your access to this mail system has been rejected due to the sending MTA's poor reputation: listed by"
                    + " bl.example.org"})
    void aListOfAddressesConcernsTheSource(String text) {
        assertThat(BlockListReply.isOne(Reply.of(554, "5.7.1", text))).isTrue();
        assertThat(BlockListReply.isOne(Reply.of(421, "4.7.0", text))).isTrue();
        assertThat(BlockListReply.isOne(Reply.of(250, "2.0.0", text))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.1.1 no such user", "5.2.2 mailbox full", "5.7.1 message content rejected",
            "5.7.1 a URL in this message is listed in multi.surbl.org",
            "5.7.1 blocked using dbl.spamhaus.org; sender domain example.org",
            "5.7.1 Sender address rejected: your domain is on our blocklist, header domain",
            "4.7.1 greylisted, try again in 5 minutes", "5.7.26 unauthenticated mail is not accepted",
            "5.7.1 the recipient has blocked you"})
    void otherRepliesDoNot(String text) {
        assertThat(BlockListReply.isOne(Reply.of(550, "5.7.1", text))).isFalse();
    }
}
