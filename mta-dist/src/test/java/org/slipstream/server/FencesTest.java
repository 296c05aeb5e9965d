package org.slipstream.server;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/// The permitted dependencies between the packages of this module.
class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.server");

    @Test
    void packagesHaveNoCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(OURS);
    }

    /// [Main] is the process, and it is in the root.
    @Test
    void noPartOfTheServerKnowsTheCommandLine() {
        noClasses().that().resideOutsideOfPackage("org.slipstream.server").should().dependOnClassesThat()
                .resideInAPackage("org.slipstream.cli..").check(OURS);
        noClasses().that().areNotAssignableTo(Main.class).and().areNotAssignableFrom(Main.class).and()
                .areNotNestedClasses().should().dependOnClassesThat().resideInAPackage("org.slipstream.cli..")
                .check(OURS);
    }

    /// Each library has its home in another module.
    @Test
    void theServerIsWiringAndUsesNoLibrary() {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("picocli..", "org.simplejavamail..",
                "ch.qos.logback..", "org.tomlj..", "org.bouncycastle..", "tools.jackson..", "org.h2..", "com.zaxxer..",
                "org.subethamail..", "org.xbill..").check(OURS);
    }
}
