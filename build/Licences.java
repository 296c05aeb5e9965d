import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

import javax.xml.parsers.DocumentBuilderFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.IntStream;

/// Prints the libraries of the program with their licences, from the bill of materials that CycloneDX
/// wrote, and the Java runtime.
///
/// A library without a licence ends the build, because its package could not be passed on.
///
/// Run with the bill of materials and the runtime's file `release`.
void main(String[] arguments) throws Exception {
    var document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(Path.of(arguments[0]).toFile());
    var lines = new TreeSet<String>();
    var missing = new ArrayList<String>();
    // The first list of components belongs to the metadata: the tools that wrote the file.
    NodeList lists = document.getElementsByTagName("components");
    var components = (Element) lists.item(lists.getLength() - 1);
    for (Element component : elements(components.getElementsByTagName("component"))) {
        String name = text(component, "name") + " " + text(component, "version");
        List<String> licences = licences(component);
        if (licences.isEmpty()) {
            missing.add(name);
        }
        lines.add(name + ": " + String.join(" or ", licences));
    }
    if (!missing.isEmpty()) {
        throw new IOException("no licence is known of " + missing);
    }
    lines.forEach(IO::println);
    IO.println(runtime(Path.of(arguments[1])));
}

List<String> licences(Element component) {
    return elements(component.getElementsByTagName("license")).stream()
            .map(each -> text(each, "id").isEmpty() ? text(each, "name") : text(each, "id")).distinct().toList();
}

String runtime(Path release) throws IOException {
    var values = new Properties();
    try (var in = Files.newBufferedReader(release)) {
        values.load(in);
    }
    return "Java runtime " + values.getProperty("JAVA_RUNTIME_VERSION", "").replace("\"", "")
            + ": GPL-2.0-only WITH Classpath-exception-2.0";
}

List<Element> elements(NodeList nodes) {
    return IntStream.range(0, nodes.getLength()).mapToObj(i -> (Element) nodes.item(i)).toList();
}

String text(Element parent, String name) {
    var found = parent.getElementsByTagName(name);
    return found.getLength() == 0 ? "" : found.item(0).getTextContent().strip();
}
