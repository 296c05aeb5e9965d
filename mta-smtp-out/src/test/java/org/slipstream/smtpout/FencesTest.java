package org.slipstream.smtpout;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/// The permitted dependencies of this module and its packages.
class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.smtpout");

    @Test
    void theClassesOfThisJavaCanBeRead() {
        assertThat(OURS.contain(Carriers.class)).isTrue();
        assertThat(OURS).hasSizeGreaterThan(30);
    }

    @Test
    void onlyTheLibrariesOfThisModule() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.smtpout..", "org.slipstream.auth..", "org.slipstream.core..",
                        "java..", "javax.net.ssl..",
                        "javax.crypto..", "javax.security.auth.x500..", "org.slf4j..", "org.xbill.DNS..")
                .check(OURS);
    }

    @Test
    void dnsjavaStaysWhereNamesAreLookedUp() {
        noClasses().that().resideOutsideOfPackages("..smtpout.host..", "..smtpout.dns..").should()
                .dependOnClassesThat().resideInAnyPackage("org.xbill.DNS..").check(OURS);
    }

    @Test
    void loggingInIsArithmetic() {
        noClasses().that().resideInAPackage("..smtpout.auth..").should().dependOnClassesThat()
                .resideInAnyPackage("java.net..", "java.io..", "java.nio.file..", "java.time..",
                        "java.util.concurrent..", "javax.net..", "org.slf4j..")
                .orShould().dependOnClassesThat()
                .belongToAnyOf(java.security.SecureRandom.class, java.util.Random.class).check(OURS);
        noClasses().that().resideOutsideOfPackage("..smtpout.auth..").should().dependOnClassesThat()
                .resideInAPackage("javax.crypto..").check(OURS);
    }

    @Test
    void conversionOfMessagesKnowsStreamsAndNothingElse() {
        classes().that().resideInAPackage("..smtpout.content..").should().onlyDependOnClassesThat()
                .resideInAnyPackage("..smtpout.content..", "org.slipstream.core.text", "java.lang..", "java.util",
                        "java.util.stream", "java.io",
                        "java.nio.charset", "java.util.function")
                .check(OURS);
    }

    @Test
    void noCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(OURS);
    }

    @Test
    void theDialogueIsArithmetic() {
        noClasses().that().resideInAPackage("..smtpout.dialog..").should().dependOnClassesThat()
                .resideInAnyPackage("java.net..", "java.io..", "java.nio.file..", "java.nio.channels..", "java.time..",
                        "java.util.concurrent..", "javax..", "org.slf4j..")
                .check(OURS);
        noClasses().that().resideInAPackage("..smtpout.dialog..").should()
                .dependOnClassesThat().belongToAnyOf(Thread.class, java.util.Random.class).orShould()
                .callMethod(System.class, "nanoTime").orShould().callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Math.class, "random").orShould().callMethod(java.util.UUID.class, "randomUUID")
                .check(OURS);
    }
}
