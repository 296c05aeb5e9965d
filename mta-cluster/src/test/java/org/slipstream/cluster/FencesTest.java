package org.slipstream.cluster;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

class FencesTest {
    private static final JavaClasses CLUSTER = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.cluster");

    @Test
    void theClassesAreImported() {
        assertThat(CLUSTER.contain(ClusterSettings.class)).isTrue();
    }

    @Test
    void ofThisProgramAClusterKnowsTheCoreAndTheDatabaseOfTheSpool() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.cluster..", "org.slipstream.core..", "org.slipstream.spool..",
                        "org.slipstream.http..", "java..", "javax.sql", "javax.net.ssl", "org.slf4j..")
                .check(CLUSTER);
    }
}
