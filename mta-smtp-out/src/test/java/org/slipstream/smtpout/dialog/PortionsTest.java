package org.slipstream.smtpout.dialog;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.Recipient;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class PortionsTest {
    @Tag("FI-08")
    @Test
    void aPeerWithoutLimitsGetsAsManyAsEveryServerTakes() {
        assertThat(portions("PIPELINING", "a@x.example", "b@y.example")).containsExactly("1 2");
        String[] many = new String[101];
        Arrays.setAll(many, i -> "r" + i + "@x.example");
        assertThat(portions("PIPELINING", many)).hasSize(2).last().isEqualTo("101");
        assertThat(portions("LIMITS RCPTMAX=101", many)).hasSize(1);
    }

    @Test
    void soManyRecipientsAndNoMore() {
        assertThat(portions("LIMITS RCPTMAX=2", "a@x.example", "b@y.example", "c@x.example", "d@x.example",
                "e@x.example")).containsExactly("1 2", "3 4", "5");
        assertThat(portions("LIMITS RCPTMAX=2", "a@x.example", "b@x.example")).containsExactly("1 2");
    }

    @Test
    void soManyDomainsAndNoMore() {
        assertThat(portions("LIMITS RCPTDOMAINMAX=1", "a@x.example", "b@X.example", "c@y.example", "d@x.example"))
                .containsExactly("1 2", "3", "4");
        assertThat(portions("LIMITS RCPTDOMAINMAX=2 RCPTMAX=3", "a@x.example", "b@y.example", "c@x.example",
                "d@z.example")).containsExactly("1 2 3", "4");
    }

    private static List<String> portions(String offer, String... recipients) {
        List<Recipient> all = new ArrayList<>();
        for (String recipient : recipients) {
            all.add(new Recipient(all.size() + 1, Address.of(recipient)));
        }
        return Portions.of(all, PeerMailParametersTest.peer(offer)).stream()
                .map(group -> String.join(" ", group.stream().map(r -> "" + r.number()).toList())).toList();
    }
}
