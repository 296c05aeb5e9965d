package org.slipstream.server.report;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Address;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class ContactTest {
    /// The settings that a first start writes, on a machine with the name `mx.here.example`.
    @ParameterizedTest
    @CsvSource({"friend@far.example, postmaster@mx.here.example", "alice@MX.here.example, postmaster@mx.here.example",
            "root@localhost, postmaster@localhost"})
    void byDefaultNoStrangerIsToldToWriteToHisOwnMachine(String reader, String named) {
        Contact contact = new Contact(Address.of("postmaster@localhost"), List.of("localhost", "mx.here.example"),
                "mx.here.example");
        assertThat(contact.apply(Address.of(reader))).hasToString(named);
    }

    @Test
    void thePostmasterOfTheSettingsIsNamedWhenEverybodyCanReachHim() {
        Contact contact = new Contact(Address.of("bob@here.example"), List.of("localhost", "here.example"),
                "mx.example");
        assertThat(contact.apply(Address.of("friend@far.example"))).hasToString("bob@here.example");
    }

    @Test
    void withoutALocalDomainOfItsOwnTheHostHasAPostmaster() {
        Contact contact = new Contact(Address.of("root@localhost.localdomain"), List.of("localhost"), "mx.example");
        assertThat(contact.apply(Address.of("friend@far.example"))).hasToString("postmaster@mx.example");
    }
}
