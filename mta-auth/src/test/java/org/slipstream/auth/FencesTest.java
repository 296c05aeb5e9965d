package org.slipstream.auth;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.auth");

    @Test
    void verdictsKnowTheNounsOnly() {
        classes().that().resideInAPackage("org.slipstream.auth..").should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.auth..", "org.slipstream.core..", "java..", "javax.crypto..",
                        "javax.xml..", "org.bouncycastle..", "org.slf4j..", "tools.jackson.core..", "org.jspecify..")
                .check(OURS);
    }

    /// Time, chance, sockets and threads belong to the caller.
    @Test
    void verdictsArePure() {
        noClasses().should().dependOnClassesThat().haveNameMatching(
                "java\\.(net\\.(Socket|http\\..*|URL|URLConnection)|lang\\.Thread|util\\.concurrent\\.Executor.*"
                        + "|nio\\.channels\\..*|nio\\.file\\.Files)")
                .check(OURS);
        noClasses().should().callMethod(java.time.Instant.class, "now").orShould().callMethod(System.class,
                "currentTimeMillis").orShould().callMethod(System.class, "nanoTime").check(OURS);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(OURS);
    }
}
