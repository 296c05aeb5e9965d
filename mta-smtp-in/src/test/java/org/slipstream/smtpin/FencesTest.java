package org.slipstream.smtpin;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

class FencesTest {
    private final JavaClasses listener = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("org.slipstream.smtpin");

    @Test
    void theListenerKnowsTheCoreAndItsLibrary() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.smtpin..", "org.slipstream.core..", "org.subethamail.smtp.server..",
                        "org.slf4j..", "java..", "javax.net.ssl..")
                .check(listener);
    }

    @Test
    void onlyTwoClassesKnowTheLibrary() {
        noClasses().that().doNotBelongToAnyOf(SmtpListener.class, Wire.class).should().dependOnClassesThat()
                .resideInAPackage("org.subethamail..").check(listener);
    }

    @Test
    void grammarAndScannerArePure() {
        noClasses().that().resideInAnyPackage("org.slipstream.smtpin.command..", "org.slipstream.smtpin.data..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.slf4j..", "java.nio..", "java.util.concurrent..", "java.time..",
                        "javax.net..", "org.slipstream.smtpin")
                .check(listener);
    }

    @Test
    void packagesFormNoCycle() {
        slices().matching("org.slipstream.smtpin.(**)").should().beFreeOfCycles().check(listener);
    }
}
