package org.slipstream.config;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.config");

    @Test
    void theFileOfSettingsKnowsTheRecordsOfItsSectionsAndNoLibrary() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.config..", "org.slipstream.core..", "org.slipstream.settings..",
                        "org.slipstream.shaping..", "org.slipstream.cluster..",
                        "org.slipstream.local..", "org.slipstream.guard..", "org.slipstream.qmgr..",
                        "org.slipstream.monitor.alarm..", "org.slipstream.events..", "org.slipstream.smtpin..",
                        "org.slipstream.smtpout..", "org.slipstream.spool..", "java..",
                        "org.jspecify..")
                .check(OURS);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(OURS);
    }
}
