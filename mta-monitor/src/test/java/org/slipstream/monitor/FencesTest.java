package org.slipstream.monitor;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.monitor");

    @Test
    void theMonitorKnowsTheNounsAndTheFormatsAlone() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.monitor..", "org.slipstream.core..", "org.slipstream.http..",
                        "java..",
                        "com.sun.net.httpserver..", "io.prometheus.metrics..", "tools.jackson..", "org.slf4j..")
                .check(OURS);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(OURS);
    }
}
