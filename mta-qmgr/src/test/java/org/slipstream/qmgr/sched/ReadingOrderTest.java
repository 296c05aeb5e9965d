package org.slipstream.qmgr.sched;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// The reading order of the package: each class depends only on those before it in this list.
class ReadingOrderTest {
    /// The data classes. They form one graph (Postfix's `qmgr.h`) and so refer to each other.
    private static final List<String> DATA = List.of("ServiceRules", "Transport", "Message", "Job", "Peer", "Entry",
            "DestinationQueue",
            "NextHop", "DestinationQueues", "SlotAccount", "BlockedRun", "SizeClass",
            "EntryOrder", "Blocker", "WaitingCount");
    private static final List<String> SPOKEN_OF = List.of("Gate", "SchedTrace", "Choice", "OrderPolicy",
            "JobsSnapshot");
    private static final List<String> MEMORY = List.of("RecipientPool", "Batches");
    private static final List<String> ORDER = List.of("ReadyDestinations", "Blockers", "JobList", "CandidateSearch",
            "SizeSearch", "Preemption", "ServiceOrder", "ListOrder", "RoundRobinOrder", "SynchronousThreads");
    private static final List<String> SCHEDULER = List.of("TransportQueues", "Scheduler");

    private static final List<String> ALL = Stream.of(DATA, SPOKEN_OF, MEMORY, ORDER, SCHEDULER).flatMap(List::stream)
            .toList();

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("org.slipstream.qmgr.sched");

    private static String file(JavaClass c) {
        return c.getName().substring(c.getPackageName().length() + 1).replaceAll("\\$.*", "");
    }

    /// All data classes share one position, each other class has its own.
    private static int turn(String file) {
        return DATA.contains(file) ? 0 : ALL.indexOf(file);
    }

    /// Positive for a dependency on a later class, negative for one on an earlier class.
    private static List<String> dependencies(IntPredicate distance) {
        return CLASSES.stream().flatMap(c -> c.getDirectDependenciesFromSelf().stream())
                .filter(d -> d.getTargetClass().getPackageName().equals("org.slipstream.qmgr.sched"))
                .filter(d -> distance.test(turn(file(d.getTargetClass())) - turn(file(d.getOriginClass()))))
                .map(d -> file(d.getOriginClass()) + " knows " + file(d.getTargetClass())).distinct().toList();
    }

    @Test
    void eachClassHasItsPlaceInTheOrder() {
        assertThat(CLASSES.stream().map(ReadingOrderTest::file).distinct().filter(file -> !file.equals("package-info")))
                .containsExactlyInAnyOrderElementsOf(ALL);
    }

    @Test
    void eachClassKnowsOnlyThoseInFrontOfIt() {
        assertThat(dependencies(distance -> distance > 0)).isEmpty();
    }

    @Test
    void theDependenciesAreReallySeen() {
        assertThat(dependencies(distance -> distance < 0)).contains("Scheduler knows TransportQueues",
                "ListOrder knows Preemption", "RecipientPool knows Job");
    }
}
