package org.slipstream.cli;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.cli");

    /// Otherwise `--help` would load half of the program.
    @Test
    void onlyTheCommandsOfTheLaboratoryKnowIt() {
        noClasses().that().resideOutsideOfPackages("org.slipstream.cli.lab..", "org.slipstream.cli.shaping..").should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.slipstream.lab..", "org.slipstream.sink..").check(OURS);
    }

    /// A running server is asked by its API.
    @Test
    void onlyCommandsForAStoppedServerOpenASpool() {
        noClasses().that()
                .resideOutsideOfPackages("org.slipstream.cli.spool..", "org.slipstream.cli.queue..",
                        "org.slipstream.cli.frame..")
                .should().dependOnClassesThat()
                .resideInAnyPackage("org.slipstream.spool", "org.slipstream.spool.work..",
                        "org.slipstream.spool.tools..", "org.slipstream.spool.index..", "org.slipstream.spool.log..")
                .check(OURS);
    }

    /// The times of a retry policy follow from the settings alone.
    @Test
    void onlyTheCommandsThatReckonUseTheQueueManager() {
        noClasses().that().resideOutsideOfPackages("org.slipstream.cli.lab..", "org.slipstream.cli.host..",
                "org.slipstream.cli.shaping..").should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.slipstream.qmgr..").check(OURS);
    }

    @Test
    void noCommandSpeaksSmtpItself() {
        noClasses().that().resideOutsideOfPackage("org.slipstream.cli.lab..").should().dependOnClassesThat()
                .resideInAnyPackage("org.slipstream.smtpout.wire..", "org.slipstream.smtpout.dialog..", "org.tomlj..")
                .check(OURS);
        noClasses().that().resideOutsideOfPackages("org.slipstream.cli.lab..", "org.slipstream.cli.sendmail..")
                .should().dependOnClassesThat().resideInAnyPackage("org.slipstream.smtpin..").check(OURS);
    }

    @Test
    void onlyTheLogKnowsTheLibraryOfLogs() {
        noClasses().that().resideOutsideOfPackages("org.slipstream.cli.log..").should().dependOnClassesThat()
                .resideInAnyPackage("ch.qos.logback..").check(OURS);
    }

    @Test
    void onlySendComposesMail() {
        noClasses().that().resideOutsideOfPackages("org.slipstream.cli.run..").should().dependOnClassesThat()
                .resideInAnyPackage("org.simplejavamail..", "org.eclipse.angus..").check(OURS);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(OURS);
    }
}
