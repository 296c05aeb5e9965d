import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/// Writes a jar again with class files of the present format:
/// `java StackMaps.java OLD.jar NEW.jar`.
///
/// picocli is compiled for Java 5. Classes of that age have no stack maps, so the JVM checks them
/// with its old verifier at each start and keeps neither them nor their dependents in an AOT cache,
/// which costs a third of the time of a command. The instructions stay the same; the JDK's own class
/// file API computes the maps.
void main(String[] arguments) throws IOException {
    Path old = Path.of(arguments[0]);
    try (var loader = new URLClassLoader(new URL[]{old.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
            JarFile in = new JarFile(old.toFile());
            OutputStream file = Files.newOutputStream(Path.of(arguments[1]));
            ZipOutputStream out = new ZipOutputStream(file)) {
        var types = ClassHierarchyResolver.ofResourceParsing(loader).orElse(ClassHierarchyResolver.defaultResolver());
        ClassFile format = ClassFile.of(ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
                ClassFile.ClassHierarchyResolverOption.of(types));
        ClassTransform present = (builder, element) -> {
            if (element instanceof ClassFileVersion) {
                builder.withVersion(ClassFile.latestMajorVersion(), 0);
            } else {
                builder.with(element);
            }
        };
        ClassTransform maps = present.andThen(ClassTransform.transformingMethodBodies((code, each) -> code.with(each)));
        for (JarEntry entry : in.stream().toList()) {
            // Without the time of the original, two builds would differ.
            ZipEntry copy = new ZipEntry(entry.getName());
            copy.setTimeLocal(entry.getTimeLocal());
            out.putNextEntry(copy);
            try (InputStream content = in.getInputStream(entry)) {
                byte[] bytes = content.readAllBytes();
                boolean type = entry.getName().endsWith(".class") && !entry.getName().endsWith("module-info.class");
                out.write(type ? format.transformClass(format.parse(bytes), maps) : bytes);
            }
            out.closeEntry();
        }
    }
}
