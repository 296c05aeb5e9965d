package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class HostNameTest {
    @Test
    void aFullNameIsTakenAsItIs() {
        assertThat(HostName.full("Mail.Example.org\n", List.of())).isEqualTo("mail.example.org");
    }

    @Test
    void aShortNameIsCompletedByTheHostsFileOrByLocaldomain() {
        List<String> hosts = List.of("127.0.0.1 localhost", "", "# 192.0.2.1 box.wrong.example box",
                "192.0.2.7  box.right.example  box # mine");
        assertThat(HostName.full("box", hosts)).isEqualTo("box.right.example");
        assertThat(HostName.full("box", List.of("127.0.0.1 box"))).isEqualTo("box.localdomain");
    }

    @Test
    void aNameThatIsNoDomainIsReplaced() {
        assertThat(HostName.full("my box", List.of())).isEqualTo("localhost.localdomain");
        assertThat(HostName.full("", List.of())).isEqualTo("localhost.localdomain");
        assertThat(HostName.full("b\u00fcro", List.of())).isEqualTo("localhost.localdomain");
    }

    @Test
    void thisMachineHasAName() {
        assertThat(HostName.ofMachine()).matches(Address::isDomain).contains(".");
    }
}
