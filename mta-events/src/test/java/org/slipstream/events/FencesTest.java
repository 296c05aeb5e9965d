package org.slipstream.events;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.events");

    /// The server and the spool are told by mta-dist what they need of this module.
    @Test
    void eventsKnowTheNounsOfMailAndSettingsOnly() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.events..", "org.slipstream.core..", "org.slipstream.settings..",
                        "org.slipstream.http..",
                        "java..", "javax.crypto..",
                        "org.h2.mvstore..", "tools.jackson.core..", "org.slf4j..")
                .check(OURS);
    }
}
