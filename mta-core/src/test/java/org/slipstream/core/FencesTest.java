package org.slipstream.core;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

class FencesTest {
    @Test
    void theCoreIsNounsOnly() {
        var core = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("org.slipstream.core");
        classes().that().resideInAPackage("org.slipstream.core..").should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.core..", "java.lang..", "java.util", "java.util.function",
                        "java.util.regex", "java.util.stream", "java.io", "java.util.random")
                .check(core);
    }
}
