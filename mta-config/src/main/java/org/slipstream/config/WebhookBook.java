package org.slipstream.config;

import org.slipstream.core.SettingsRecords;
import org.slipstream.core.text.Nearest;
import org.slipstream.events.webhook.WebhookReceiver;
import org.slipstream.events.webhook.WebhookSecret;
import org.slipstream.events.webhook.WebhookSettings;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.Forms;
import org.slipstream.settings.Key;
import org.slipstream.settings.NamedFiles;
import org.slipstream.settings.SchemaSection;
import org.slipstream.settings.SourcePlace;
import org.slipstream.settings.Value;
import org.slipstream.settings.Values;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The webhooks: one section `[webhook.NAME]` each.
final class WebhookBook {
    private static final String URL = "url";
    private static final String SECRET = "secret-file";
    private static final List<Key> ALL = SettingsRecords.declared(WebhookSettings.class).stream()
            .map(declared -> new Key(declared, Forms.of(declared.type(), declared.setting(), MailForms.ALL))).toList();

    static final SchemaSection.NestedKeys KEYS = new SchemaSection.NestedKeys() {
        @Override
        public Optional<Key> find(String name) {
            int dot = name.lastIndexOf('.');
            return ALL.stream().filter(key -> dot > 0 && key.name().equals(name.substring(dot + 1))).findFirst();
        }

        @Override
        public Optional<String> meant(String name) {
            int dot = name.lastIndexOf('.');
            return dot <= 0
                    ? Optional.of("each webhook has a section of its own: write [webhook.name]")
                    : Nearest.to(name.substring(dot + 1), ALL.stream().map(Key::name).toList())
                            .map(near -> "did you mean \"" + near + "\"?");
        }

        @Override
        public List<Key> listed() {
            return ALL;
        }

        @Override
        public boolean haveDefaults() {
            return true;
        }
    };

    private final Path home;
    private final NamedFiles files;
    private final Complaints complaints;

    private WebhookBook(Path home, NamedFiles files) {
        this.home = home;
        this.files = files;
        this.complaints = files.complaints();
    }

    /// @param eventsAreOn false: there is nothing to post
    static List<WebhookReceiver> read(Path home, Values values, NamedFiles files, boolean eventsAreOn) {
        Map<String, Map<String, Value>> sections = new LinkedHashMap<>();
        values.table(ServerSchema.WEBHOOK).forEach((name, value) -> sections
                .computeIfAbsent(name.substring(0, name.lastIndexOf('.')), _ -> new LinkedHashMap<>())
                .put(name.substring(name.lastIndexOf('.') + 1), value));
        WebhookBook book = new WebhookBook(home, files);
        List<WebhookReceiver> all = new ArrayList<>();
        sections.forEach((name, given) -> book.receiver(name, given).ifPresent(all::add));
        if (!sections.isEmpty()) {
            book.check(sections, eventsAreOn);
        }
        return all;
    }

    private void check(Map<String, Map<String, Value>> sections, boolean eventsAreOn) {
        SourcePlace place = first(sections.values().iterator().next());
        if (!eventsAreOn) {
            complaints.add(place, ServerSchema.WEBHOOK, "there are webhooks, and no events to post",
                    Optional.of("set events.keep = \"7d\""));
        }
        if (sections.size() > WebhookReceiver.MOST) {
            complaints.add(place, ServerSchema.WEBHOOK, "there are " + sections.size() + " webhooks, and "
                    + WebhookReceiver.MOST + " are possible");
        }
    }

    private static SourcePlace first(Map<String, Value> given) {
        return given.values().iterator().next().place();
    }

    private Optional<WebhookReceiver> receiver(String name, Map<String, Value> given) {
        String section = ServerSchema.WEBHOOK + "." + name;
        int before = complaints.count();
        if (!WebhookReceiver.isName(name)) {
            complaints.add(first(given), section,
                    section + ": the name of a webhook has a-z, 0-9 and -, 32 characters at most");
        }
        WebhookSettings settings = SettingsRecords.make(WebhookSettings.class, declared -> {
            Key key = KEYS.find(name + "." + declared.name()).orElseThrow();
            Value value = given.getOrDefault(declared.name(), key.defaultValue(""));
            return key.form().read(value, section + "." + declared.name(), complaints).map(Object.class::cast)
                    .orElseGet(() -> key.form().read(key.defaultValue(""), "", complaints).orElseThrow());
        });
        for (String needed : List.of(URL, SECRET)) {
            if (!given.containsKey(needed)) {
                complaints.add(first(given), section + "." + needed, section + " has no " + needed);
            }
        }
        List<WebhookSecret> secrets = settings.secretFile().map(file -> WebhookSecret.read(files.logicalLines(
                section + "." + SECRET, Optional.ofNullable(given.get(SECRET)).map(Value::place)
                        .orElseGet(() -> first(given)),
                home.resolve(file)), section + "." + SECRET, complaints)).orElse(List.of());
        if (complaints.count() == before && secrets.isEmpty()) {
            complaints.add(first(given), section + "." + SECRET, section + "." + SECRET + ": the file has no secret",
                    Optional.of(WebhookSecret.REMEDY));
        }
        return complaints.count() == before
                ? Optional.of(new WebhookReceiver(name, settings, secrets))
                : Optional.empty();
    }
}
