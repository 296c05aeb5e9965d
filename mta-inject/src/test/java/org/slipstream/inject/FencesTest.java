package org.slipstream.inject;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.inject");

    /// The server behind the port is an interface that mta-dist implements.
    @Test
    void injectionKnowsTheNounsOfMailAndHttpOnly() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.inject..", "org.slipstream.core..", "org.slipstream.http..",
                        "java..", "jakarta.mail..", "jakarta.activation..", "tools.jackson.core..", "org.slf4j..")
                .check(OURS);
    }
}
