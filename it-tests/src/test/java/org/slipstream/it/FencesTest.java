package org.slipstream.it;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

class FencesTest {
    @Test
    void theseTestsKnowTheProgramOnlyFromOutside() {
        var tests = new ClassFileImporter().importPackages("org.slipstream.it");
        noClasses().that().resideInAPackage("org.slipstream.it..").should().dependOnClassesThat()
                .resideInAnyPackage("org.slipstream.core..", "org.slipstream.smtpin..", "org.slipstream.smtpout..",
                        "org.slipstream.spool..", "org.slipstream.qmgr..", "org.slipstream.lab..",
                        "org.slipstream.admin..", "org.slipstream.server..")
                .check(tests);
    }

    @Test
    void fixturesDoNotKnowTheTests() {
        var fixtures = new ClassFileImporter().importPackages("org.slipstream.it.fixture");
        noClasses().that().resideInAPackage("org.slipstream.it.fixture..").should().dependOnClassesThat()
                .resideInAPackage("org.slipstream.it").check(fixtures);
    }
}
