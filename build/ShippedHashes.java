import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

import javax.xml.parsers.DocumentBuilderFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;

/// Compares the hashes of a bill of materials with the jars of the program, and puts the hashes of
/// the jars in place of others: `java ShippedHashes.java SBOM.xml LIB`.
///
/// The build writes some libraries again. A search for known files by hash must find the jars that
/// are installed. Their pedigree says that the package differs from the one that its author
/// published. All other characters of the file stay.
///
/// A component without its jar ends the build.
void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[0]);
    Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    String text = Files.readString(file);
    // The first list of components belongs to the metadata: the tools that wrote the file.
    NodeList lists = document.getElementsByTagName("components");
    for (Element component : elements((Element) lists.item(lists.getLength() - 1), "component")) {
        text = withHashesOf(component, Path.of(arguments[1]), text);
    }
    Files.writeString(file, text);
}

String withHashesOf(Element component, Path lib, String text) throws IOException, NoSuchAlgorithmException {
    byte[] jar = Files.readAllBytes(lib.resolve(value(component, "name") + "-" + value(component, "version") + ".jar"));
    String changed = text;
    for (Element hash : elements(component, "hash")) {
        String actual = HexFormat.of().formatHex(MessageDigest.getInstance(hash.getAttribute("alg")).digest(jar));
        changed = changed.replace(">" + hash.getTextContent() + "</hash>", ">" + actual + "</hash>");
    }
    if (changed.equals(text)) {
        return text;
    }
    String purl = "<purl>" + value(component, "purl").replace("&", "&amp;") + "</purl>";
    return changed.replace(purl, purl + "<pedigree><notes>Written again by the build of Slipstream MTA from this"
            + " library: the hashes are those of the shipped file.</notes></pedigree>");
}

List<Element> elements(Element parent, String name) {
    NodeList found = parent.getElementsByTagName(name);
    return IntStream.range(0, found.getLength()).mapToObj(i -> (Element) found.item(i)).toList();
}

String value(Element parent, String name) {
    return elements(parent, name).getFirst().getTextContent().strip();
}
