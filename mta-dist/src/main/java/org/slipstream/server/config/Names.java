package org.slipstream.server.config;

import org.slipstream.core.text.Nearest;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Which names exist, and which one was meant by a name that does not.
final class Names {
    private Names() {}

    static boolean isSection(String name) {
        return !name.isEmpty() && Keys.SECTIONS.containsKey(name);
    }

    /// True for the sections whose keys the operator invents.
    static boolean isFree(String section) {
        return section.equals(Keys.ALIASES) || section.equals(Keys.ROUTES);
    }

    /// True for the section that holds one section for each transport; its keys are `smtp.lanes` and the like.
    static boolean isNested(String section) {
        return section.equals(Keys.TRANSPORT);
    }

    static boolean isKey(String section, String name) {
        return isFree(section) || isNested(section) && TransportBook.isKey(name)
                || in(section).anyMatch(key -> key.name().equals(name));
    }

    /// What to write instead of an unknown key: a near name of its section, or the same or a near name of another.
    static Optional<String> meant(String section, String name) {
        if (isNested(section)) {
            return TransportBook.meant(name);
        }
        if (section.equals("listen") && name.equals("admin")) {
            return Optional.of("the API has no port any more but the socket run/admin.sock; leave this line out");
        }
        Optional<String> here = Nearest.to(name, in(section).map(Key::name).toList())
                .or(() -> section.isEmpty() ? Nearest.to(name, Keys.SECTIONS.keySet()) : Optional.empty());
        if (here.isPresent()) {
            return Optional.of("did you mean \"" + here.get() + "\"?");
        }
        return Keys.all().stream().filter(key -> key.name().equals(name)).findFirst()
                .or(() -> nearAnywhere(name))
                .map(key -> "did you mean \"" + key.name() + "\" " + place(key) + "?");
    }

    static Optional<String> meantSection(String section) {
        List<String> known = Keys.SECTIONS.keySet().stream().filter(s -> !s.isEmpty()).toList();
        return Nearest.to(section, known).map(near -> "did you mean [" + near + "]?");
    }

    private static Optional<Key<?>> nearAnywhere(String name) {
        Optional<String> near = Nearest.to(name, Keys.all().stream().map(Key::name).toList());
        return near.flatMap(n -> Keys.all().stream().filter(key -> key.name().equals(n)).findFirst());
    }

    private static String place(Key<?> key) {
        return key.section().isEmpty() ? "before the first section" : "in [" + key.section() + "]";
    }

    private static Stream<Key<?>> in(String section) {
        return Keys.all().stream().filter(key -> key.section().equals(section));
    }
}
