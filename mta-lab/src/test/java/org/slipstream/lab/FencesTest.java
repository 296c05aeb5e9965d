package org.slipstream.lab;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Set;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

class FencesTest {
    private static final JavaClasses LAB = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("org.slipstream.lab");
    private static final Set<String> CLOCKS = Set.of("java.lang.System.currentTimeMillis", "java.lang.System.nanoTime",
            "java.lang.Math.random");

    @Test
    void theClassesAreImported() {
        assertThat(LAB.get(World.class).getMethodCallsFromSelf()).isNotEmpty();
    }

    @Test
    void theLabDependsOnTheQueueManagerAndItsTypesOnly() {
        noClasses().should()
                .dependOnClassesThat(describe("another module or library", c -> !c.getPackageName().startsWith("java.")
                        && !c.getPackageName().startsWith("org.slipstream.lab")
                        && !c.getPackageName().startsWith("org.slipstream.qmgr")
                        && !c.getPackageName().equals("org.slipstream.picture")
                        && !c.getPackageName().equals("org.slipstream.sink.script")
                        && !c.getPackageName().startsWith("tools.jackson")
                        && !c.getPackageName().equals("org.slipstream.settings")
                        && !c.getPackageName().equals("org.slipstream.shaping")
                        && !c.getPackageName().startsWith("org.slipstream.core") && !c.isPrimitive() && !c.isArray()))
                .check(LAB);
        noClasses().that().resideOutsideOfPackage("org.slipstream.lab.golden").and()
                .doNotHaveSimpleName("RunSeries").should().dependOnClassesThat()
                .resideInAPackage("tools.jackson..").because("only recorded traces and exported series are JSON")
                .check(LAB);
        noClasses().that().resideOutsideOfPackage("org.slipstream.lab.scenario").should().dependOnClassesThat()
                .resideInAPackage("org.slipstream.settings").because("only scenario files are TOML").check(LAB);
        noClasses().should().dependOnClassesThat().resideInAPackage("..qmgr.run..").check(LAB);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(LAB);
    }

    @Test
    void simulatedTimeIsTheOnlyTime() {
        noClasses().should()
                .dependOnClassesThat(resideInAnyPackage("java.time..", "java.util.concurrent..", "java.net..")
                        .and(describe("more than an amount of time", c -> !c.isEquivalentTo(Duration.class))))
                .check(LAB);
        noClasses().that().doNotHaveSimpleName("GoldenTraces").and().doNotHaveSimpleName("GoldenFile").and()
                .doNotHaveSimpleName("GoldenIndex").and().resideOutsideOfPackage("org.slipstream.lab.journal").should()
                .dependOnClassesThat().resideInAPackage("java.nio.file..").because("worlds live in memory").check(LAB);
        noClasses().should().callMethodWhere(describe("reads a clock",
                call -> CLOCKS.contains(call.getTargetOwner().getName() + "." + call.getName()))).check(LAB);
        noClasses().should().dependOnClassesThat(describe("has a random iteration order",
                c -> c.getName().equals("java.util.HashMap") || c.getName().equals("java.util.HashSet"))).check(LAB);
    }
}
