package org.slipstream.smtpout;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/// The walls of this room.
class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.smtpout");

    @Test
    void theClassesOfThisJavaCanBeRead() {
        assertThat(OURS.contain(Carriers.class)).isTrue();
        assertThat(OURS.contain("org.slipstream.smtpout.place.Placement")).isTrue();
        assertThat(OURS).hasSizeGreaterThan(30);
    }

    @Test
    void onlyTheLibrariesOfThisRoom() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.smtpout..", "org.slipstream.core..", "java..", "javax.net.ssl..",
                        "javax.crypto..",
                        "org.slf4j..", "org.xbill.DNS..")
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
    void conversionOfLettersKnowsStreamsAndNothingElse() {
        classes().that().resideInAPackage("..smtpout.content..").should().onlyDependOnClassesThat()
                .resideInAnyPackage("..smtpout.content..", "java.lang..", "java.util", "java.util.stream", "java.io",
                        "java.nio.charset", "java.util.function")
                .check(OURS);
    }

    @Test
    void theOrderOfLookupsIsArithmetic() {
        noClasses().that().haveSimpleNameStartingWith("RouteQueue").should().dependOnClassesThat()
                .resideInAnyPackage("java.net..", "java.io..", "java.time..", "java.util.concurrent..", "org.slf4j..")
                .orShould().dependOnClassesThat().belongToAnyOf(Thread.class, java.util.Random.class).check(OURS);
    }

    @Test
    void noCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(OURS);
    }

    @Test
    void theDialogueAndThePlacementAreArithmetic() {
        noClasses().that().resideInAnyPackage("..smtpout.dialog..", "..smtpout.place..").should().dependOnClassesThat()
                .resideInAnyPackage("java.net..", "java.io..", "java.nio.file..", "java.nio.channels..", "java.time..",
                        "java.util.concurrent..", "javax..", "org.slf4j..")
                .allowEmptyShould(true).check(OURS);
        noClasses().that().resideInAnyPackage("..smtpout.dialog..", "..smtpout.place..").should()
                .dependOnClassesThat().belongToAnyOf(Thread.class, java.util.Random.class).orShould()
                .callMethod(System.class, "nanoTime").orShould().callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Math.class, "random").orShould().callMethod(java.util.UUID.class, "randomUUID")
                .allowEmptyShould(true).check(OURS);
    }

    /// Collections whose order of iteration is chance, and ways to chance itself.
    @Test
    void thePlacementLeavesNothingToChance() {
        noClasses().that().resideInAnyPackage("..smtpout.place..").should().dependOnClassesThat()
                .haveNameMatching(
                        "java\\.util\\.(HashMap|HashSet|IdentityHashMap|WeakHashMap|Hashtable|SplittableRandom)")
                .orShould().callMethodWhere(describe("gives a collection in any order", call -> call.getTargetOwner()
                        .getName().matches("java\\.util\\.(Set|Map)") && call.getName().matches("of|copyOf|ofEntries")
                        || call.getName().matches("toSet|toMap|groupingBy|identityHashCode")))
                .check(OURS);
        noClasses().that().resideInAnyPackage("..smtpout.place..").should().dependOnClassesThat()
                .resideInAnyPackage("..smtpout.dialog..", "..smtpout.wire..", "..smtpout.dns..", "..smtpout.host..")
                .check(OURS);
    }
}
