package org.slipstream.local.address;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Address;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class UserAddressesTest {
    @ParameterizedTest
    @CsvSource({"alice@here.example, alice@here.example, true", "alice@here.example, Alice@HERE.example, true",
            "alice@here.example, alice+shop@here.example, true", "alice@here.example, alice@second.example, false",
            "alice, alice@second.example, true", "alice, alice@far.example, false",
            "alice@here.example, bob@here.example, false", "alice@here.example, sales@here.example, true",
            "bob@here.example, sales@here.example, true", "carol@here.example, sales@here.example, false",
            "alice@here.example, nobody@here.example, false", "guest@hosted.example, guest@hosted.example, true",
            "guest@hosted.example, alice@here.example, false", "'', alice@here.example, false",
            "'a b', alice@here.example, false", "@, alice@here.example, false"})
    void aUserSendsFromTheOwnAddressAndFromAliasesThatDeliverToIt(String user, String sender, boolean owns) {
        var book = Books.usual().alias("sales@here.example", "team@here.example")
                .alias("team@here.example", "alice@here.example", "bob@here.example").build();
        assertThat(new UserAddresses(book, List.of("here.example", "second.example")).owns(user, Address.of(sender)))
                .isEqualTo(owns);
    }
}
