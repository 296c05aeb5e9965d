package org.slipstream.admin;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

class FencesTest {
    @Test
    void theApiKnowsTheNounsAndJackson() {
        var admin = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("org.slipstream.admin");
        classes().that().resideInAPackage("org.slipstream.admin..").should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.admin..", "org.slipstream.core..", "java..",
                        "tools.jackson..", "org.slf4j..")
                .check(admin);
    }
}
