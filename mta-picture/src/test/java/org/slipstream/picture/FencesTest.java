package org.slipstream.picture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.picture");

    @Test
    void picturesKnowTheNounsOnly() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.picture..", "org.slipstream.core..", "java..").check(OURS);
    }

    @Test
    void aPictureIsPure() {
        noClasses().should()
                .dependOnClassesThat(resideInAnyPackage("java.time..", "java.util.concurrent..", "java.net..",
                        "java.nio.file..").or(describe("randomness", c -> c.getName().equals("java.util.Random"))))
                .check(OURS);
    }
}
