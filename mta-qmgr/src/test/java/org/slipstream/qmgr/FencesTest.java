package org.slipstream.qmgr;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Set;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Dependencies that the queue manager must not have. The first test verifies that the rules see
/// the classes at all.
class FencesTest {
    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("org.slipstream.qmgr");

    /// Collections with a random order of iteration. (Set.of and Map.of differ from one start of
    /// the JVM to the next.)
    private static final Set<String> UNORDERED = Set.of("java.util.HashMap", "java.util.HashSet",
            "java.util.IdentityHashMap", "java.util.WeakHashMap", "java.util.Hashtable");
    private static final Set<String> CHANCE = Set.of("java.lang.Math.random", "java.util.UUID.randomUUID",
            "java.util.Set.of", "java.util.Set.copyOf", "java.util.Map.of", "java.util.Map.copyOf",
            "java.util.Map.ofEntries", "java.util.stream.Collectors.toSet", "java.util.stream.Collectors.toMap",
            "java.util.stream.Collectors.groupingBy", "java.lang.System.identityHashCode");
    private static final Set<String> CLOCKS = Set.of("java.lang.System.currentTimeMillis", "java.lang.System.nanoTime");

    private static GivenClassesConjunction manager() {
        return noClasses().that().resideOutsideOfPackages("..qmgr.run..", "..qmgr.journal.file..");
    }

    @Test
    void theClassesAreReallyRead() {
        assertThat(MODULE.get(QueueManager.class).getMethodCallsFromSelf()).isNotEmpty();
        assertThat(MODULE.contain("org.slipstream.qmgr.sched.JobList")).isTrue();
    }

    @Test
    void theModuleDependsOnlyOnTheCoreAndTheLog() {
        noClasses().should()
                .dependOnClassesThat(describe("another module or library", c -> !c.getPackageName().startsWith("java.")
                        && !c.getPackageName().startsWith("org.slipstream.qmgr")
                        && !c.getPackageName().startsWith("org.slipstream.core")
                        && !c.getPackageName().startsWith("org.slf4j")
                        && !c.getPackageName().startsWith("tools.jackson")
                        && !c.isPrimitive() && !c.isArray()))
                .check(MODULE);
        // Only the files of a journal are JSON.
        noClasses().that().resideOutsideOfPackage("..qmgr.journal.file..").should().dependOnClassesThat()
                .resideInAPackage("tools.jackson..").check(MODULE);
    }

    @Test
    void theQueueManagerDoesNotLog() {
        manager().should().dependOnClassesThat(resideInAPackage("org.slf4j..")).check(MODULE);
    }

    private static final DescribedPredicate<JavaClass> WORLD = resideInAPackage("java.time..")
            .and(describe("more than an amount of time", c -> !c.isEquivalentTo(Duration.class)))
            .or(resideInAPackage("java.net..")).or(resideInAPackage("java.nio.."))
            .or(resideInAPackage("java.io..")
                    .and(describe("more than a serialization marker", c -> !c.getSimpleName().equals("Serializable"))))
            .or(resideInAPackage("java.util.concurrent.."))
            .or(describe("a thread", c -> c.isAssignableTo(Thread.class)));

    @Test
    void theQueueManagerHasNoClockNoSocketNoFileNoThreadAndNoLock() {
        manager().should().dependOnClassesThat(WORLD).check(MODULE);
        manager().should().callMethodWhere(describe("reads a clock", call -> CLOCKS.contains(name(call))))
                .check(MODULE);
    }

    @Test
    void theFenceWouldBiteIfTheLoopStoodInsideIt() {
        assertThatThrownBy(() -> noClasses().should().dependOnClassesThat(WORLD).check(MODULE))
                .hasMessageContaining("QmgrLoop").hasMessageContaining("java.lang.Thread");
    }

    @Test
    void theQueueManagerHasNoRandomnessAndNoRandomOrder() {
        manager().should().dependOnClassesThat(describe("iterates by chance", c -> UNORDERED.contains(c.getName())))
                .check(MODULE);
        // The only class that makes generators: from a seed, for those who start a queue manager.
        GivenClassesConjunction deciding = manager().and().doNotHaveFullyQualifiedName(SeededChance.class.getName());
        deciding.should().callMethodWhere(describe("leaves something to chance", call -> CHANCE.contains(name(call))))
                .check(MODULE);
        deciding.should().dependOnClassesThat(describe("a source of chance", FencesTest::isChance)).check(MODULE);
    }

    @Test
    void orderConcurrencyAndPlacementDoNotDependOnEachOther() {
        fence("..qmgr.sched..", "..qmgr.flow..", "..qmgr.place..", "org.slipstream.qmgr", "..qmgr.admit..",
                "..qmgr.dest..", "..qmgr.settle..", "..qmgr.message..");
        fence("..qmgr.flow..", "..qmgr.sched..", "..qmgr.place..", "org.slipstream.qmgr", "..qmgr.admit..",
                "..qmgr.dest..", "..qmgr.settle..", "..qmgr.message..");
        fence("..qmgr.place..", "..qmgr.sched..", "..qmgr.flow..", "org.slipstream.qmgr", "..qmgr.admit..",
                "..qmgr.dest..", "..qmgr.settle..", "..qmgr.message..");
        fence("..qmgr.event..", "..qmgr.sched..", "..qmgr.flow..", "..qmgr.place..", "org.slipstream.qmgr",
                "..qmgr.admit..", "..qmgr.dest..", "..qmgr.settle..", "..qmgr.message..");
        fence("org.slipstream.qmgr", "..qmgr.run..", "..qmgr.journal.file..");
        fence("..qmgr.settle..", "..qmgr.dest..", "..qmgr.admit..", "org.slipstream.qmgr");
        fence("..qmgr.dest..", "..qmgr.settle..", "..qmgr.admit..", "org.slipstream.qmgr");
        fence("..qmgr.admit..", "org.slipstream.qmgr");
    }

    private static void fence(String room, String... others) {
        noClasses().that().resideInAPackage(room).should().dependOnClassesThat().resideInAnyPackage(others)
                .check(MODULE);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(MODULE);
    }

    private static boolean isChance(JavaClass c) {
        return c.isAssignableTo(java.util.random.RandomGenerator.class)
                && !c.getName().equals("java.util.random.RandomGenerator");
    }

    private static String name(JavaMethodCall call) {
        return call.getTargetOwner().getName() + "." + call.getName();
    }
}
