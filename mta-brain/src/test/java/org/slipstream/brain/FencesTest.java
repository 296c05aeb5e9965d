package org.slipstream.brain;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/// The bridge carries what the two halves say, and nothing else.
class FencesTest {
    private static final JavaClasses ROOM = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("org.slipstream.brain");

    @Test
    void theClassesAreReallyRead() {
        assertThat(ROOM.get(PlacementSeating.class).getMethodCallsFromSelf()).isNotEmpty();
    }

    @Test
    void theBridgeSeesTheTwoHalvesAndTheNounsOnly() {
        noClasses().should()
                .dependOnClassesThat(describe("another room or library", c -> !c.getPackageName().startsWith("java.")
                        && !c.getPackageName().equals("org.slipstream.brain")
                        && !c.getPackageName().equals("org.slipstream.qmgr")
                        && !c.getPackageName().equals("org.slipstream.smtpout.place")
                        && !c.getPackageName().equals("org.slipstream.core") && !c.isPrimitive() && !c.isArray()))
                .check(ROOM);
    }

    @Test
    void theBridgeIsPure() {
        noClasses().should().dependOnClassesThat()
                .resideInAnyPackage("java.time..", "java.net..", "java.nio..", "java.util.concurrent..",
                        "java.util.random..", "org.slf4j..")
                .orShould().dependOnClassesThat()
                .haveNameMatching("java\\.util\\.(HashMap|HashSet|IdentityHashMap|WeakHashMap|Hashtable|Random)")
                .orShould().dependOnClassesThat().areAssignableTo(Thread.class)
                .orShould().callMethodWhere(describe("reads a clock", call -> call.getTargetOwner().getName()
                        .equals("java.lang.System") && call.getName().matches("currentTimeMillis|nanoTime")))
                .check(ROOM);
    }
}
