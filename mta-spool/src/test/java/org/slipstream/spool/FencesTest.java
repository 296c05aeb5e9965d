package org.slipstream.spool;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

class FencesTest {
    private static final JavaClasses SPOOL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.spool");

    @Test
    void theSpoolKnowsTheCoreAndItsDatabaseOnly() {
        classes().that().resideInAPackage("org.slipstream.spool..").should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.spool..", "org.slipstream.core..", "java..", "javax.sql",
                        "org.slf4j..",
                        "com.zaxxer.hikari..", "org.h2..", "tools.jackson.core..")
                .check(SPOOL);
        // Only the history is JSON.
        noClasses().that().resideOutsideOfPackage("org.slipstream.spool.history..").should().dependOnClassesThat()
                .resideInAPackage("tools.jackson..").check(SPOOL);
    }

    @Test
    void onlyTheIndexAndThePagesSpeakSqlAndTheLogDoesNotKnowThem() {
        noClasses().that().resideOutsideOfPackages("org.slipstream.spool.index..", "org.slipstream.spool.postgres..")
                .should().dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..", "com.zaxxer..", "org.h2..")
                .check(SPOOL);
    }

    /// The slices start above the root package, so that the root package is one of them.
    @Test
    void packagesHaveNoCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(SPOOL);
    }

    @Test
    void logAndIndexDoNotDependOnTheSpool() {
        noClasses().that().resideInAnyPackage("org.slipstream.spool.log..", "org.slipstream.spool.index..",
                "org.slipstream.spool.postgres..").should()
                .dependOnClassesThat().resideInAPackage("org.slipstream.spool").check(SPOOL);
    }
}
