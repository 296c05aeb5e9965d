package org.slipstream.core;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.core");

    @Test
    void theCoreIsNounsOnly() {
        classes().that().resideInAnyPackage("org.slipstream.core", "org.slipstream.core.queue").should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("org.slipstream.core", "org.slipstream.core.queue",
                                "org.slipstream.core.text", "java.lang..", "java.util",
                                "java.util.function",
                                "java.util.regex", "java.util.stream", "java.io", "java.util.random")
                                .or(type(ConcurrentHashMap.class))
                                // Types of settings.
                                .or(type(Duration.class)).or(type(Path.class)).or(type(InetAddress.class))
                                // Writes a time as text; the clock is fenced off below.
                                .or(type(Instant.class))
                                // A primitive of the JDK, and the only way to read a long from an array.
                                .or(type(ByteOrder.class))
                                // Required for transfers by the kernel.
                                .or(type(FileChannel.class)))
                .check(OURS);
    }

    @Test
    void theCoreReadsNoClock() {
        noClasses().should().callMethod(Instant.class, "now").orShould()
                .callMethod(System.class, "currentTimeMillis").orShould().callMethod(System.class, "nanoTime")
                .check(OURS);
    }

    /// Functions that two modules need have a package of their own and are pure.
    @Test
    void sharedFunctionsHaveNoInputButTheirArguments() {
        classes().that().resideInAnyPackage("org.slipstream.core.sasl", "org.slipstream.core.text").should()
                .onlyDependOnClassesThat(resideInAnyPackage("org.slipstream.core.sasl", "org.slipstream.core.text",
                        "java.lang..", "java.util", "java.util.function", "java.util.regex", "java.util.stream",
                        "java.io", "java.nio.charset", "java.text", "java.security", "java.security.spec",
                        "javax.crypto", "javax.crypto.spec"))
                .andShould().onlyDependOnClassesThat(not(belongToAnyOf(SecureRandom.class, Random.class))).check(OURS);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(OURS);
    }
}
