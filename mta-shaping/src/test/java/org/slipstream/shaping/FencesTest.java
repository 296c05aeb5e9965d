package org.slipstream.shaping;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

class FencesTest {
    private static final JavaClasses SHAPING = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("org.slipstream.shaping");

    @Test
    void theClassesAreImported() {
        assertThat(SHAPING.get(ShapingEngine.class).getMethodCallsFromSelf()).isNotEmpty();
    }

    /// The laboratory plays the same rules in simulated time.
    @Test
    void rulesHaveNoClockNoSocketAndNoThread() {
        noClasses().should().dependOnClassesThat()
                .resideInAnyPackage("java.net..", "java.nio.channels..", "java.util.concurrent..").check(SHAPING);
        noClasses().should().callMethodWhere(describe("reads a clock", call -> call.getTargetOwner().getName()
                .equals("java.lang.System") && call.getName().matches("nanoTime|currentTimeMillis"))).check(SHAPING);
    }

    @Test
    void rulesKnowOfThisProgramOnlyTheTermsOfMailAndTheReaderOfFiles() {
        noClasses().should().dependOnClassesThat(describe("another module",
                each -> each.getPackageName().startsWith("org.slipstream.")
                        && !each.getPackageName().startsWith("org.slipstream.shaping")
                        && !each.getPackageName().startsWith("org.slipstream.core")
                        && !each.getPackageName().equals("org.slipstream.settings")))
                .check(SHAPING);
        noClasses().should().dependOnClassesThat().resideInAPackage("org.tomlj..").check(SHAPING);
    }
}
