package org.slipstream.world.agent;

import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The Java agent of a world: rewrites the classes of the JDK that are loaded already, and each
/// class that is loaded later.
public final class WorldAgent {
    private static Instrumentation jvm;

    private WorldAgent() {}

    /// Gives a class other code, which must have the same fields and methods. Threads that run the old code end it.
    public static void redefine(Class<?> changed, byte[] code) throws UnmodifiableClassException {
        try {
            jvm.redefineClasses(new ClassDefinition(changed, code));
        } catch (ClassNotFoundException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    public static void premain(String arguments, Instrumentation jvm) throws UnmodifiableClassException {
        WorldAgent.jvm = jvm;
        // The hooks lie on the path of the boot class loader, in its unnamed module.
        Module base = Object.class.getModule();
        jvm.redefineModule(base, Set.of(WorldAgent.hooks().getModule()), Map.of(), Map.of(), Set.of(), Map.of());
        ClassRewriter rewriter = new ClassRewriter();
        jvm.addTransformer(rewriter, true);
        List<Class<?>> loaded = new ArrayList<>();
        for (Class<?> each : jvm.getAllLoadedClasses()) {
            String name = each.getName();
            boolean ours = name.startsWith("java.") || name.startsWith("sun.nio.") || name.startsWith("jdk.internal.");
            if (ours && jvm.isModifiableClass(each) && !each.isHidden()
                    && !name.startsWith("java.lang.classfile.") && !name.startsWith("jdk.internal.classfile.")) {
                loaded.add(each);
            }
        }
        for (Class<?> each : loaded) {
            try {
                jvm.retransformClasses(each);
            } catch (Error e) {
                System.err.println(each + " " + e);
            }
        }
    }

    private static Class<?> hooks() {
        try {
            return Class.forName("org.slipstream.world.hook.WorldHooks", true, null);
        } catch (ClassNotFoundException absent) {
            throw new IllegalStateException("the agent's jar lacks the hooks", absent);
        }
    }
}
