package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.slipstream.it.fixture.Program;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

import static org.assertj.core.api.Assertions.assertThat;

/// The bill of materials describes the jars of the program, also those that the build writes again.
/// The packages contain copies of both.
class ShippedHashesIT {
    @Test
    void eachHashIsThatOfTheInstalledFileAndEachJarIsListed() throws Exception {
        Path lib = Program.folder().resolve("lib");
        Set<String> listed = new TreeSet<>();
        for (Element component : components()) {
            String jar = value(component, "name") + "-" + value(component, "version") + ".jar";
            listed.add(jar);
            List<Element> hashes = elements(component, "hash");
            assertThat(hashes).as(jar).isNotEmpty();
            for (Element hash : hashes) {
                byte[] digest = MessageDigest.getInstance(hash.getAttribute("alg"))
                        .digest(Files.readAllBytes(lib.resolve(jar)));
                assertThat(hash.getTextContent()).as(jar).isEqualTo(HexFormat.of().formatHex(digest));
            }
        }
        try (Stream<Path> files = Files.list(lib)) {
            Set<String> shipped = files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith("mta-dist-")).collect(Collectors.toSet());
            assertThat(listed).as("the described program itself is not a component").isEqualTo(shipped);
        }
    }

    @Test
    void aLibraryThatTheBuildWritesAgainSaysSo() throws Exception {
        assertThat(components().stream().filter(each -> !elements(each, "pedigree").isEmpty())
                .map(each -> value(each, "name"))).containsExactlyInAnyOrder("bcprov-jdk18on", "bcpkix-jdk18on",
                        "bcutil-jdk18on", "picocli");
    }

    private static List<Element> components() throws Exception {
        NodeList lists = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(Program.folder().resolve("sbom.xml").toFile()).getElementsByTagName("components");
        return elements((Element) lists.item(lists.getLength() - 1), "component");
    }

    private static List<Element> elements(Element parent, String name) {
        NodeList found = parent.getElementsByTagName(name);
        return IntStream.range(0, found.getLength()).mapToObj(i -> (Element) found.item(i)).toList();
    }

    private static String value(Element parent, String name) {
        return elements(parent, name).getFirst().getTextContent().strip();
    }
}
