package org.slipstream.sink;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.slipstream.sink.script.ScriptRun;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

class FencesTest {
    private static final JavaClasses SINK = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("org.slipstream.sink");

    @Test
    void theClassesAreImported() {
        assertThat(SINK.get(ScriptRun.class).getMethodCallsFromSelf()).isNotEmpty();
    }

    /// The simulator follows the same scripts in simulated time.
    @Test
    void scriptsHaveNoClockNoSocketAndNoThread() {
        noClasses().that().resideInAPackage("org.slipstream.sink.script").should().dependOnClassesThat()
                .resideInAnyPackage("java.net..", "java.nio.channels..", "java.util.concurrent..",
                        "org.slipstream.sink.server..", "org.slipstream.sink.store..", "org.slipstream.sink.web..")
                .check(SINK);
        noClasses().that().resideInAPackage("org.slipstream.sink.script").should()
                .callMethodWhere(describe("reads a clock", call -> call.getTargetOwner().getName()
                        .equals("java.lang.System") && call.getName().matches("nanoTime|currentTimeMillis")))
                .check(SINK);
    }

    @Test
    void theSinkKnowsOfThisProgramOnlyTheTermsOfMail() {
        noClasses().should().dependOnClassesThat(describe("another module",
                each -> each.getPackageName().startsWith("org.slipstream.")
                        && !each.getPackageName().startsWith("org.slipstream.sink")
                        && !each.getPackageName().startsWith("org.slipstream.core")
                        && !each.getPackageName().equals("org.slipstream.settings")))
                .check(SINK);
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(SINK);
    }

    @Test
    void eachLibraryHasOneHome() {
        noClasses().should().dependOnClassesThat().resideInAPackage("org.tomlj..").check(SINK);
        noClasses().that().resideOutsideOfPackage("org.slipstream.sink.web").should().dependOnClassesThat()
                .resideInAnyPackage("tools.jackson..", "com.sun.net.httpserver..").check(SINK);
        noClasses().that().resideOutsideOfPackage("org.slipstream.sink.server").should().dependOnClassesThat()
                .resideInAPackage("org.bouncycastle..").check(SINK);
    }
}
