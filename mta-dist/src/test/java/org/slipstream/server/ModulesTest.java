package org.slipstream.server;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.net.URL;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/// A module exports the packages that its siblings use, and no other. The compiler reports a
/// missing export, this test an unused one.
class ModulesTest {
    private static final Map<String, ModuleDescriptor> MODULE_OF = modules();

    @Test
    void everyExportedPackageIsUsedByAnotherModule() {
        assertThat(MODULE_OF).hasSizeGreaterThan(20);
        Set<String> exported = MODULE_OF.values().stream().flatMap(module -> module.exports().stream())
                .map(ModuleDescriptor.Exports::source).collect(Collectors.toCollection(TreeSet::new));
        assertThat(exported).isSubsetOf(usedByOthers());
    }

    private static Set<String> usedByOthers() {
        return new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("org.slipstream").stream().map(JavaClass::getDirectDependenciesFromSelf)
                .flatMap(Set::stream).filter(ModulesTest::leavesItsModule)
                .map(dependency -> dependency.getTargetClass().getBaseComponentType().getPackageName())
                .collect(Collectors.toSet());
    }

    private static boolean leavesItsModule(Dependency dependency) {
        ModuleDescriptor from = MODULE_OF.get(dependency.getOriginClass().getPackageName());
        ModuleDescriptor to = MODULE_OF.get(dependency.getTargetClass().getBaseComponentType().getPackageName());
        return from != null && to != null && !from.name().equals(to.name());
    }

    /// By package, for all modules of this program on the class path.
    private static Map<String, ModuleDescriptor> modules() {
        try {
            var descriptors = new TreeSet<ModuleDescriptor>();
            for (URL url : Collections.list(ModulesTest.class.getClassLoader().getResources("module-info.class"))) {
                try (InputStream in = url.openStream()) {
                    descriptors.add(ModuleDescriptor.read(in));
                }
            }
            return new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("org.slipstream").stream().map(JavaClass::getPackageName).distinct()
                    .flatMap(name -> descriptors.stream().filter(module -> contains(module, name))
                            .map(module -> Map.entry(name, module)))
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The name of a module is that of its root package.
    private static boolean contains(ModuleDescriptor module, String packageName) {
        return packageName.equals(module.name()) || packageName.startsWith(module.name() + ".");
    }
}
