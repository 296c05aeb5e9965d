package org.slipstream.http;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

class FencesTest {
    @Test
    void httpKnowsTheNounsAndNoServerOfTheJdk() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.http..", "org.slipstream.core..", "org.slf4j..", "java..",
                        "javax.net..")
                .check(new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("org.slipstream.http"));
    }
}
