package org.slipstream.local;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.local");

    @Test
    void localMailKnowsTheNounsAndItsSettings() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.local..", "org.slipstream.core..", "org.slipstream.settings..",
                        "java..", "javax.crypto..", "jakarta.mail.internet..", "org.slf4j..")
                .check(OURS);
    }

    @Test
    void onlyTheAddressesReadAHeader() {
        noClasses().that().resideOutsideOfPackages("org.slipstream.local.address..").should().dependOnClassesThat()
                .resideInAnyPackage("jakarta.mail..").check(OURS);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(OURS);
    }
}
