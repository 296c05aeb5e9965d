package org.slipstream.smtpin;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import java.time.Duration;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
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
                        "org.slf4j..", "java..", "javax.net.ssl..",
                        "javax.crypto..")
                .check(listener);
    }

    @Test
    void onlyOneClassKnowsTheLibrary() {
        noClasses().that().doNotBelongToAnyOf(SmtpListener.class).should().dependOnClassesThat()
                .resideInAPackage("org.subethamail..").check(listener);
    }

    @Test
    void grammarProtocolAndScannerArePure() {
        noClasses().that()
                .resideInAnyPackage("org.slipstream.smtpin.command..", "org.slipstream.smtpin.protocol..",
                        "org.slipstream.smtpin.data..", "org.slipstream.smtpin.proxy..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.slf4j..", "java.nio.file..", "java.nio.channels..", "java.util.concurrent..",
                        "javax.net..", "org.slipstream.smtpin")
                .orShould().dependOnClassesThat().areAssignableTo(java.time.InstantSource.class)
                .orShould().callMethod(java.time.Instant.class, "now")
                .orShould().callMethod(System.class, "nanoTime")
                .orShould().callMethod(System.class, "currentTimeMillis")
                .check(listener);
    }

    @Test
    void mechanismsKnowNeitherWireNorClock() {
        noClasses().that().resideInAPackage("org.slipstream.smtpin.auth..").should().dependOnClassesThat(
                resideInAnyPackage("org.slf4j..", "java.net..", "java.nio.file..", "javax.net..", "java.time..",
                        "org.slipstream.smtpin").and(not(equivalentTo(Duration.class))))
                .check(listener);
    }

    /// The slices start above the root package, so that the root package is one of them.
    @Test
    void packagesFormNoCycle() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(listener);
    }
}
