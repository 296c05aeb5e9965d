package org.slipstream.guard.login;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TokenFileTest {
    @TempDir
    Path home;

    @Test
    void aTokenThatSendsHasNoRightAtTheApiAndNoOtherTokenSends() throws Exception {
        TokenFile file = TokenFile.in(home);
        String web = file.addSender("web", "shop@here.example");
        String root = file.add("root", Right.ADMINISTRATE);
        assertThat(file.sender(web)).contains(new TokenFile.SendToken("web", "shop@here.example"));
        assertThat(file.find(web)).isEmpty();
        assertThat(file.sender(root)).isEmpty();
        assertThat(file.find(root).orElseThrow().right()).isEqualTo(Right.ADMINISTRATE);
        assertThat(file.list()).extracting(TokenFile.TokenEntry::right).containsExactly("send", "administrate");
        file.remove("web");
        assertThat(file.sender(web)).isEmpty();
    }

    @Test
    void theNameOfTheUserIsOneWord() {
        for (String user : new String[]{"", "a b", "a\nb root administrate", "a\u0000"}) {
            assertThatThrownBy(() -> TokenFile.in(home).addSender("web", user))
                    .isInstanceOf(UserFileException.class);
        }
    }

    @Test
    void aLineThatIsNoTokenIsTold() throws Exception {
        TokenFile file = TokenFile.in(home);
        String web = file.addSender("web", "shop");
        Files.writeString(home.resolve(TokenFile.NAME), "other send abc\n", StandardOpenOption.APPEND);
        assertThatThrownBy(() -> file.sender(web)).isInstanceOf(IOException.class).hasMessageContaining(":3:");
    }
}
