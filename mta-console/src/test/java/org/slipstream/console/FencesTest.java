package org.slipstream.console;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.console");

    /// The console sees of the server what a command sees: the API.
    @Test
    void theConsoleKnowsTheApiAndThePicturesOnly() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.console..", "org.slipstream.admin..", "org.slipstream.picture..",
                        "org.slipstream.core..", "java..", "javax.crypto..", "com.sun.net.httpserver..",
                        "org.slf4j..")
                .check(OURS);
    }
}
