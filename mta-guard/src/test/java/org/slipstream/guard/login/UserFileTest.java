package org.slipstream.guard.login;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The file of users with both ways to change it: commands and an editor.
class UserFileTest {
    @TempDir
    Path home;
    private UserFile file;
    private Path path;

    @BeforeEach
    void open() {
        file = UserFile.in(home);
        path = home.resolve("users");
    }

    private void write(String text) throws Exception {
        Files.writeString(path, text);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void anAddedUserIsStoredWithoutThePasswordInAFileForTheOwnerAlone() throws Exception {
        file.add("alice", "open sesame", List.of("Alice@Here.Example", "@lists.example", "*"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path))).isEqualTo("rw-------");
        assertThat(Files.readString(path)).doesNotContain("sesame").contains("$argon2id$v=19$m=19456,t=2,p=1$")
                .contains("SCRAM-SHA-256$100000:");
        assertThat(file.list()).containsExactly(
                new UserFile.UserEntry("alice", List.of("alice@here.example", "@lists.example", "*"), true, 2));
        assertThat(home.resolve("users.tmp")).doesNotExist();
    }

    @Test
    void commentsAndOtherUsersStayAsTheyAre() throws Exception {
        file.add("alice", "one", List.of());
        file.add("bob", "two", List.of("bob@here.example"));
        List<String> lines = new ArrayList<>(Files.readAllLines(path));
        lines.add(1, "# alice is on leave");
        write(String.join("\n", lines) + "\n");
        file.changePassword("bob", "three");
        List<String> after = Files.readAllLines(path);
        assertThat(after.subList(0, 3)).isEqualTo(lines.subList(0, 3));
        assertThat(after.get(3)).startsWith("bob ").endsWith(" bob@here.example").isNotEqualTo(lines.get(3));
        file.remove("alice");
        assertThat(Files.readAllLines(path)).containsExactly(lines.get(0), lines.get(1), after.get(3));
    }

    @Test
    void impossibleRequestsAreRefusedAndChangeNothing() throws Exception {
        file.add("alice", "one", List.of());
        String before = Files.readString(path);
        assertThatThrownBy(() -> file.add("alice", "two", List.of())).hasMessageContaining("alice exists already");
        assertThatThrownBy(() -> file.changePassword("bob", "x")).hasMessage("there is no user bob");
        assertThatThrownBy(() -> file.remove("bob")).hasMessage("there is no user bob");
        assertThatThrownBy(() -> file.add("bob", "x", List.of("nonsense"))).hasMessageContaining("\"nonsense\"");
        assertThatThrownBy(() -> file.add("bob", "x", List.of("\"a,b\"@here.example"))).hasMessageContaining("a,b");
        for (String name : List.of("", "a b", "#a", "a\u0000", "a\u200bb", "x".repeat(256))) {
            assertThatThrownBy(() -> file.add(name, "x", List.of())).as(name).isInstanceOf(UserFileException.class);
        }
        assertThatThrownBy(() -> file.add("\u212bngstrom", "x", List.of())).hasMessageContaining("\u00c5ngstrom");
        assertThat(Files.readString(path)).isEqualTo(before);
    }

    @Test
    void everyMistakeIsToldWithItsLine() throws Exception {
        file.add("alice", "one", List.of());
        String good = Files.readAllLines(path).get(1);
        String hash = good.split(" ")[1];
        write(String.join("\n", good, "", "# a comment", "bob", "carl plain - -", "dora " + hash + " SCRAM -",
                "emil " + hash + " - emil@", good, "fred $argon2id$v=19$m=9999999,t=2,p=1$"
                        + hash.split("\\$")[4] + "$" + hash.split("\\$")[5] + " - -",
                "gina " + hash + " - gina@here.example") + "\n");
        assertThat(file.mistakes()).satisfiesExactly(
                four -> assertThat(four).startsWith("users:4: ").contains("four words"),
                five -> assertThat(five).startsWith("users:5: ").contains("Argon2id"),
                six -> assertThat(six).startsWith("users:6: ").contains("third word"),
                seven -> assertThat(seven).startsWith("users:7: ").contains("\"emil@\""),
                eight -> assertThat(eight).startsWith("users:8: ").contains("line 1"),
                nine -> assertThat(nine).startsWith("users:9: ").contains("64 MiB"));
        assertThatThrownBy(() -> file.add("hugo", "x", List.of())).as("a file that cannot be read is not changed")
                .hasMessageContaining("users:4");
    }

    @Test
    void aFileThatOthersMayReadIsRefusedInOneSentence() throws Exception {
        file.add("alice", "one", List.of());
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(file.mistakes()).singleElement().asString().contains("chmod 600");
        assertThatThrownBy(file::list).hasMessageContaining("chmod 600");
    }

    @Test
    void withoutAFileThereAreNoUsersAndNoMistakes() throws Exception {
        assertThat(file.mistakes()).isEmpty();
        assertThat(file.list()).isEmpty();
    }

    @Test
    void ofTwoWhoAddAtTheSameTimeNeitherUndoesTheOther() throws Exception {
        List<String> names = IntStream.range(0, 4).mapToObj(i -> "user" + i).toList();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            names.forEach(name -> threads.submit(() -> {
                UserFile.in(home).add(name, "x", List.of());
                return name;
            }));
        }
        assertThat(file.list()).extracting(UserFile.UserEntry::name).containsExactlyInAnyOrderElementsOf(names);
    }
}
