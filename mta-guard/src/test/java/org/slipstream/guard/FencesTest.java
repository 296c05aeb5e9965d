package org.slipstream.guard;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

class FencesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.slipstream.guard");

    @Test
    void theGuardKnowsTheDoorsWhoseQuestionsItAnswers() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("org.slipstream.guard..", "org.slipstream.auth..", "org.slipstream.core..",
                        "org.slipstream.settings..",
                        "org.slipstream.smtpin..", "org.slipstream.smtpout.demand..", "org.slipstream.smtpout.host..",
                        "org.slipstream.smtpout.dns..",
                        "org.slipstream.admin..", "java..", "javax.net.ssl..", "javax.security..",
                        "jakarta.mail.internet..", "org.bouncycastle..", "org.slf4j..", "tools.jackson..",
                        "org.jspecify..")
                .check(OURS);
    }

    @Test
    void onlyTheCheckOfADomainAsksDns() {
        noClasses().that().resideOutsideOfPackages("org.slipstream.guard.zone..").should().dependOnClassesThat()
                .resideInAnyPackage("org.slipstream.smtpout..").check(OURS);
    }

    @Test
    void onlyCertificatesUseBouncyCastle() {
        noClasses().that().resideOutsideOfPackages("org.slipstream.guard.tls..", "org.slipstream.guard.login..")
                .should().dependOnClassesThat()
                .resideInAnyPackage("org.bouncycastle..").check(OURS);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("org.slipstream.(**)").should().beFreeOfCycles().check(OURS);
    }
}
