package org.slipstream.server;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.slipstream.server.intake.AddressBook;
import org.slipstream.server.report.ReportTemplates;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/// The permitted dependencies between the packages of this module.
class FencesTest {
    private static final JavaClasses DIST = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.server");

    @Test
    void thePackagesKnowEachOtherInOneDirection() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(DIST);
    }

    @Test
    void onlyTheProcessKnowsTheCommandLine() {
        noClasses().that().resideOutsideOfPackage("org.slipstream.server.cli..").and()
                .doNotHaveFullyQualifiedName("org.slipstream.server.Main").and()
                .haveNameNotMatching("org\\.slipstream\\.server\\.Main\\$.*").should().dependOnClassesThat()
                .resideInAPackage("org.slipstream.server.cli..").check(DIST);
    }

    /// Otherwise `--help` would load half of the server.
    @Test
    void theCommandLineKnowsTheServerOnlyByItsSettingsItsFilesAndItsApi() {
        noClasses().that().resideInAPackage("org.slipstream.server.cli..").and()
                .haveNameNotMatching(".*\\.cli\\.Lab[A-Za-z]*Command.*").should().dependOnClassesThat()
                .resideInAnyPackage("org.slipstream.lab..").check(DIST);
        noClasses().that().haveNameNotMatching(".*\\.cli\\.SinkCommand.*").should().dependOnClassesThat()
                .resideInAnyPackage("org.slipstream.sink..").check(DIST);
        // A stopped server has no API: its spool is opened by the command itself.
        noClasses().that().resideInAPackage("org.slipstream.server.cli..").and()
                .haveNameNotMatching(".*\\.cli\\.Spool[A-Za-z]*.*").should().dependOnClassesThat()
                .resideInAnyPackage("org.slipstream.spool..").check(DIST);
        // The times of a retry policy follow from the settings alone.
        noClasses().that().resideInAPackage("org.slipstream.server.cli..").and()
                .haveNameNotMatching(".*\\.cli\\.RetryCommand.*").should().dependOnClassesThat()
                .resideInAnyPackage("org.slipstream.qmgr..").check(DIST);
        noClasses().that().resideInAPackage("org.slipstream.server.cli..").should().dependOnClassesThat(
                resideInAPackage("org.slipstream.server.report..").and(not(belongToAnyOf(ReportTemplates.class))))
                .check(DIST);
        noClasses().that().resideInAPackage("org.slipstream.server.cli..").should().dependOnClassesThat()
                .resideInAnyPackage("org.slipstream.smtpin..", "org.slipstream.smtpout..", "org.slipstream.server",
                        "org.slipstream.server.local..", "org.slipstream.server.dispatch..",
                        "org.slipstream.server.route..", "org.slipstream.server.tls..")
                .check(DIST);
    }

    /// `user add` asks whether there is a mailbox.
    @Test
    void ofTheIntakeTheCommandLineUsesTheAddressBookAlone() {
        noClasses().that().resideInAPackage("org.slipstream.server.cli..").should().dependOnClassesThat(
                resideInAPackage("org.slipstream.server.intake..")
                        .and(not(belongToAnyOf(AddressBook.class))))
                .check(DIST);
    }

    @Test
    void eachLibraryHasOneHome() {
        noClasses().that().resideOutsideOfPackage("org.slipstream.server.cli..").should().dependOnClassesThat()
                .resideInAnyPackage("picocli..", "org.simplejavamail..", "ch.qos.logback..").check(DIST);
        noClasses().that().resideOutsideOfPackage("org.slipstream.server.config..").should().dependOnClassesThat()
                .resideInAPackage("org.tomlj..").check(DIST);
        noClasses().should().dependOnClassesThat().resideInAnyPackage("org.h2..", "com.zaxxer..",
                "org.subethamail..", "org.xbill..").check(DIST);
    }
}
