package org.slipstream.admin;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.admin");

    @Test
    void theApiKnowsTheNounsAndJackson() {
        classes().that().resideInAPackage("org.slipstream.admin..").should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.admin..", "org.slipstream.core..", "org.slipstream.http..",
                        "java..",
                        "jdk.net..",
                        "tools.jackson..", "org.slf4j..")
                .check(OURS);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(OURS);
    }
}
