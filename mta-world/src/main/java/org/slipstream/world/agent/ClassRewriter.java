package org.slipstream.world.agent;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Makes classes ask the world in place of the system, in two ways.
///
/// *A call at a time:* each call of `System.nanoTime` and `System.currentTimeMillis`, in the JDK, the
/// libraries and the program, becomes a call of [org.slipstream.world.hook.WorldHooks].
///
/// *A method at a time:* a few methods of the JDK, the narrow places through which everything of a
/// kind passes, first ask the hooks: the timer of virtual threads, the builders of platform threads,
/// files. So the program has no seams for its simulation, and nothing of it is left out because no seam
/// was cut there.
final class ClassRewriter implements ClassFileTransformer {
    private static final ClassDesc HOOKS = ClassDesc.of("org.slipstream.world.hook.WorldHooks");
    private static final ClassDesc SYSTEM = ClassDesc.of("java.lang.System");
    private static final ClassDesc THREAD = ClassDesc.of("java.lang.Thread");
    private static final ClassDesc RUNNABLE = ClassDesc.of("java.lang.Runnable");
    private static final ClassDesc HANDLER = ClassDesc.of("java.lang.Thread$UncaughtExceptionHandler");
    private static final ClassDesc UNIT = ClassDesc.of("java.util.concurrent.TimeUnit");
    private static final ClassDesc FUTURE = ClassDesc.of("java.util.concurrent.Future");
    private static final ClassDesc EXECUTOR = ClassDesc.of("java.util.concurrent.Executor");
    private static final ClassDesc CHANNEL = ClassDesc.of("java.nio.channels.FileChannel");
    private static final ClassDesc BUFFER = ClassDesc.of("java.nio.ByteBuffer");
    private static final ClassDesc RANDOM_FILE = ClassDesc.of("java.io.RandomAccessFile");
    private static final ClassDesc DESCRIPTOR = ClassDesc.of("java.io.FileDescriptor");
    private static final ClassDesc PATH = ClassDesc.of("java.nio.file.Path");
    private static final ClassDesc SET = ClassDesc.of("java.util.Set");
    private static final ClassDesc INSTANT = ClassDesc.of("java.time.Instant");
    private static final ClassDesc UDP = ClassDesc.of("org.xbill.DNS.io.UdpIoClient");
    private static final ClassDesc UNSUPPORTED = ClassDesc.of("java.lang.UnsupportedOperationException");
    private static final Set<String> TIMES = Set.of("nanoTime", "currentTimeMillis");
    private static final long SALT = 0x5EED_5EEDL;
    private static final ClassDesc FILE_CHANNEL = ClassDesc.of("sun.nio.ch.FileChannelImpl");

    /// The order of `Set.of` and `Map.of` is another one in each JVM.
    private static final String COLLECTIONS = "java/util/ImmutableCollections";

    /// Its numbers depend on the number of the thread, which goes on from world to world.
    private static final String RANDOM = "java/util/concurrent/ThreadLocalRandom";

    private static final String UNBLOCKER = "java/lang/VirtualThread.unblockVirtualThreads()V";

    /// The code that a method runs before its own.
    private final Map<String, Consumer<CodeBuilder>> beginnings = new HashMap<>();

    ClassRewriter() {
        threads();
        timers();
        files();
        begin("java/time/Clock.currentInstant()Ljava/time/Instant;", code -> {
            ask(code, "instant", INSTANT);
            returnUnlessNull(code);
        });
        begin("org/xbill/DNS/io/DefaultIoClientFactory.createOrGetUdpClient()Lorg/xbill/DNS/io/UdpIoClient;", code -> {
            ask(code, "dnsClient", ConstantDescs.CD_Object);
            code.checkcast(UDP);
            returnUnlessNull(code);
        });
        for (String end : Set.of("exit", "halt")) {
            begin("java/lang/Runtime." + end + "(I)V", code -> ask(code.iload(1), "halt", ConstantDescs.CD_void,
                    ConstantDescs.CD_int));
        }
    }

    private void threads() {
        for (String each : Set.of("PlatformThreadBuilder.unstarted", "PlatformThreadFactory.newThread")) {
            String owner = "java/lang/ThreadBuilders$" + each.substring(0, each.indexOf('.'));
            ClassDesc self = ClassDesc.ofInternalName(owner);
            begin("java/lang/ThreadBuilders$" + each + "(Ljava/lang/Runnable;)Ljava/lang/Thread;", code -> {
                Label usual = code.newLabel();
                ask(code, "inside", ConstantDescs.CD_boolean);
                code.ifeq(usual).aload(0)
                        .invokevirtual(self, "nextThreadName", MethodTypeDesc.of(ConstantDescs.CD_String)).aload(1)
                        .aload(0).invokevirtual(self, "uncaughtExceptionHandler", MethodTypeDesc.of(HANDLER));
                ask(code, "newThread", THREAD, ConstantDescs.CD_String, RUNNABLE, HANDLER);
                code.areturn().labelBinding(usual);
            });
        }
        for (String start : Set.of("()V", "(Ljdk/internal/vm/ThreadContainer;)V")) {
            begin("java/lang/Thread.start" + start, code -> {
                ask(code.aload(0), "start", ConstantDescs.CD_boolean, THREAD);
                returnIfTrue(code);
            });
        }
        other("interrupt", ConstantDescs.CD_void);
        other("isAlive", ConstantDescs.CD_boolean);
        other("join", ConstantDescs.CD_void, ConstantDescs.CD_long);
        other("join", ConstantDescs.CD_boolean, ClassDesc.of("java.time.Duration"));
    }

    /// A method of a thread that another thread runs.
    private void other(String name, ClassDesc result, ClassDesc... parameters) {
        MethodTypeDesc type = MethodTypeDesc.of(result, parameters);
        begin("java/lang/Thread." + name + type.descriptorString(), code -> {
            Label usual = code.newLabel();
            ask(code.aload(0), "runs", THREAD, THREAD);
            code.aload(0).if_acmpeq(usual);
            ask(code.aload(0), "runs", THREAD, THREAD);
            if (parameters.length > 0) {
                code.loadLocal(TypeKind.from(parameters[0]), 1);
            }
            code.invokevirtual(THREAD, name, type).return_(TypeKind.from(result)).labelBinding(usual);
        });
    }

    private void timers() {
        begin("java/lang/VirtualThread.schedule(Ljava/lang/Runnable;JLjava/util/concurrent/TimeUnit;)"
                + "Ljava/util/concurrent/Future;", code -> {
                    ask(code.aload(1).lload(2).aload(4), "schedule", FUTURE, RUNNABLE, ConstantDescs.CD_long, UNIT);
                    returnUnlessNull(code);
                });
        begin("java/lang/VirtualThread.start(Ljdk/internal/vm/ThreadContainer;)V",
                code -> ask(code.aload(0), "begins", ConstantDescs.CD_void, THREAD));
        begin("java/lang/VirtualThread.afterYield()V",
                code -> ask(code.aload(0), "yielded", ConstantDescs.CD_void, THREAD));
        // The JDK's own thread for this would work at any moment. The world does its work itself.
        begin(UNBLOCKER, CodeBuilder::return_);
        begin("java/util/concurrent/ForkJoinPool.execute(Ljava/lang/Runnable;)V", code -> {
            ask(code.aload(1), "execute", ConstantDescs.CD_boolean, RUNNABLE);
            returnIfTrue(code);
        });
        begin("java/util/concurrent/CompletableFuture.arrangeTimeout"
                + "(JLjava/util/concurrent/CompletableFuture$Timeout;)V", code -> {
                    ask(code.lload(1).aload(3), "timeout", ConstantDescs.CD_boolean, ConstantDescs.CD_long, RUNNABLE);
                    returnIfTrue(code);
                });
        begin("java/util/concurrent/CompletableFuture.delayedExecutor(JLjava/util/concurrent/TimeUnit;"
                + "Ljava/util/concurrent/Executor;)Ljava/util/concurrent/Executor;", code -> {
                    ask(code.lload(0).aload(2).aload(3), "delayed", EXECUTOR, ConstantDescs.CD_long, UNIT, EXECUTOR);
                    returnUnlessNull(code);
                });
    }

    private void files() {
        String channel = "sun/nio/ch/FileChannelImpl.";
        channel(channel + "write(Ljava/nio/ByteBuffer;)I", "write",
                code -> code.aload(1), BUFFER);
        channel(channel + "write([Ljava/nio/ByteBuffer;II)J", "write",
                code -> code.aload(1).iload(2).iload(3), BUFFER.arrayType(), ConstantDescs.CD_int,
                ConstantDescs.CD_int);
        channel(channel + "write(Ljava/nio/ByteBuffer;J)I", "write",
                code -> code.aload(1).lload(2), BUFFER, ConstantDescs.CD_long);
        channel(channel + "truncate(J)Ljava/nio/channels/FileChannel;", "truncate",
                code -> code.lload(1), ConstantDescs.CD_long);
        begin(channel + "force(Z)V", code -> {
            code.aload(0).aload(0).getfield(FILE_CHANNEL, "path", ConstantDescs.CD_String);
            ask(code, "sync", ConstantDescs.CD_boolean, CHANNEL, ConstantDescs.CD_String);
            returnIfTrue(code);
        });
        String file = "java/io/RandomAccessFile.";
        begin(file + "writeBytes([BII)V", code -> {
            code.aload(0).aload(0).getfield(RANDOM_FILE, "path", ConstantDescs.CD_String).aload(1).iload(2).iload(3);
            ask(code, "write", ConstantDescs.CD_void, RANDOM_FILE, ConstantDescs.CD_String,
                    ConstantDescs.CD_byte.arrayType(), ConstantDescs.CD_int, ConstantDescs.CD_int);
        });
        begin(file + "setLength(J)V", code -> {
            code.aload(0).aload(0).getfield(RANDOM_FILE, "path", ConstantDescs.CD_String).lload(1);
            ask(code, "setLength", ConstantDescs.CD_void, RANDOM_FILE, ConstantDescs.CD_String, ConstantDescs.CD_long);
        });
        begin("java/io/FileDescriptor.sync()V",
                code -> ask(code.aload(0), "sync", ConstantDescs.CD_void, DESCRIPTOR));
        String provider = "sun/nio/fs/UnixFileSystemProvider.";
        String attributes = "[Ljava/nio/file/attribute/FileAttribute;)";
        for (String opens : Set.of("newFileChannel(Ljava/nio/file/Path;Ljava/util/Set;" + attributes
                + "Ljava/nio/channels/FileChannel;",
                "newByteChannel(Ljava/nio/file/Path;Ljava/util/Set;" + attributes
                        + "Ljava/nio/channels/SeekableByteChannel;")) {
            begin(provider + opens, code -> ask(code.aload(1).aload(2), "open", ConstantDescs.CD_void, PATH, SET));
        }
        begin(provider + "implDelete(Ljava/nio/file/Path;Z)Z",
                code -> ask(code.aload(1), "delete", ConstantDescs.CD_void, PATH));
        begin(provider + "move(Ljava/nio/file/Path;Ljava/nio/file/Path;[Ljava/nio/file/CopyOption;)V",
                code -> ask(code.aload(1).aload(2), "move", ConstantDescs.CD_void, PATH, PATH));
        begin(provider + "createDirectory(Ljava/nio/file/Path;" + attributes + "V",
                code -> ask(code.aload(1), "makeFolder", ConstantDescs.CD_void, PATH));
        for (String space : Set.of("Usable", "Total")) {
            String hook = space.toLowerCase(Locale.ROOT) + "Space";
            begin("sun/nio/fs/UnixFileStore.get" + space + "Space()J", code -> {
                Label usual = code.newLabel();
                ask(code, hook, ConstantDescs.CD_long);
                code.lconst_0().lcmp().iflt(usual);
                ask(code, hook, ConstantDescs.CD_long);
                code.lreturn().labelBinding(usual);
            });
        }
        // Its thread waits in the system.
        begin("sun/nio/fs/LinuxFileSystem.newWatchService()Ljava/nio/file/WatchService;", code -> {
            Label usual = code.newLabel();
            ask(code, "watches", ConstantDescs.CD_boolean);
            code.ifeq(usual).new_(UNSUPPORTED).dup()
                    .invokespecial(UNSUPPORTED, ConstantDescs.INIT_NAME, MethodTypeDesc.of(ConstantDescs.CD_void))
                    .athrow().labelBinding(usual);
        });
    }

    private void channel(String method, String hook, Consumer<CodeBuilder> arguments, ClassDesc... parameters) {
        ClassDesc[] all = new ClassDesc[parameters.length + 2];
        all[0] = CHANNEL;
        all[1] = ConstantDescs.CD_String;
        System.arraycopy(parameters, 0, all, 2, parameters.length);
        begin(method, code -> {
            code.aload(0).aload(0).getfield(FILE_CHANNEL, "path", ConstantDescs.CD_String);
            arguments.accept(code);
            ask(code, hook, ConstantDescs.CD_void, all);
        });
    }

    private void begin(String method, Consumer<CodeBuilder> code) {
        beginnings.put(method, code);
    }

    private static void ask(CodeBuilder code, String hook, ClassDesc result, ClassDesc... parameters) {
        code.invokestatic(HOOKS, hook, MethodTypeDesc.of(result, parameters));
    }

    private static void returnUnlessNull(CodeBuilder code) {
        Label usual = code.newLabel();
        code.dup().ifnull(usual).areturn().labelBinding(usual).pop();
    }

    private static void returnIfTrue(CodeBuilder code) {
        Label usual = code.newLabel();
        code.ifeq(usual).return_().labelBinding(usual);
    }

    @Override
    public byte[] transform(Module module, ClassLoader loader, String name, Class<?> again, ProtectionDomain domain,
            byte[] bytes) {
        try {
            return rewritten(name, bytes).orElse(null);
        } catch (RuntimeException | Error failed) {
            // The JVM would ignore it, and the class would keep the real clock.
            failed.printStackTrace();
            Runtime.getRuntime().halt(70);
            return null;
        }
    }

    /// Empty for a class that can stay as it is.
    Optional<byte[]> rewritten(String name, byte[] bytes) {
        if (name == null || name.startsWith("org/slipstream/world/") || name.equals("java/lang/System")
                || name.startsWith("java/lang/classfile/") || name.startsWith("jdk/internal/classfile/")) {
            return Optional.empty();
        }
        ClassFile files = ClassFile.of();
        ClassModel model = files.parse(bytes);
        boolean begins = model.methods().stream().anyMatch(method -> beginnings.containsKey(key(name, method)));
        if (!begins && !asksTheTime(model) && !name.startsWith(COLLECTIONS) && !name.equals(RANDOM)) {
            return Optional.empty();
        }
        return Optional.of(files.transformClass(model, (builder, element) -> {
            if (element instanceof MethodModel method) {
                builder.transformMethod(method, (to, part) -> {
                    if (part instanceof CodeModel code) {
                        to.transformCode(code, change(Optional.ofNullable(beginnings.get(key(name, method))),
                                key(name, method).equals(UNBLOCKER), name.equals(RANDOM)));
                    } else {
                        to.with(part);
                    }
                });
            } else {
                builder.with(element);
            }
        }));
    }

    private static CodeTransform change(Optional<Consumer<CodeBuilder>> beginning, boolean whole,
            boolean withoutNumber) {
        return new CodeTransform() {
            @Override
            public void atStart(CodeBuilder code) {
                beginning.ifPresent(each -> each.accept(code));
            }

            @Override
            public void accept(CodeBuilder code, CodeElement element) {
                if (whole) {
                    return;
                }
                if (element instanceof FieldInstruction field && field.opcode() == Opcode.GETSTATIC
                        && field.owner().asInternalName().equals(COLLECTIONS)
                        && field.name().equalsString("SALT32L")) {
                    code.loadConstant(SALT);
                } else if (element instanceof FieldInstruction field && field.opcode() == Opcode.GETSTATIC
                        && field.owner().asInternalName().equals(COLLECTIONS)
                        && field.name().equalsString("REVERSE")) {
                    code.loadConstant(0);
                } else if (withoutNumber && element instanceof InvokeInstruction call
                        && call.name().equalsString("threadId")) {
                    code.pop().lconst_0();
                } else if (element instanceof InvokeInstruction call && isTime(call.method())) {
                    code.invokestatic(HOOKS, call.name().stringValue(), call.typeSymbol());
                } else if (element instanceof InvokeDynamicInstruction call
                        && call.bootstrapArgs().stream().anyMatch(ClassRewriter::isTime)) {
                    ConstantDesc[] arguments = call.bootstrapArgs().stream()
                            .map(each -> isTime(each) ? hook((DirectMethodHandleDesc) each) : each)
                            .toArray(ConstantDesc[]::new);
                    code.invokedynamic(DynamicCallSiteDesc.of(call.bootstrapMethod(), call.name().stringValue(),
                            call.typeSymbol(), arguments));
                } else {
                    code.with(element);
                }
            }
        };
    }

    /// A reference such as `System::nanoTime`.
    private static boolean isTime(ConstantDesc argument) {
        return argument instanceof DirectMethodHandleDesc method && method.owner().equals(SYSTEM)
                && TIMES.contains(method.methodName());
    }

    private static ConstantDesc hook(DirectMethodHandleDesc time) {
        return MethodHandleDesc.ofMethod(DirectMethodHandleDesc.Kind.STATIC, HOOKS, time.methodName(),
                time.invocationType());
    }

    private static boolean asksTheTime(ClassModel model) {
        for (PoolEntry entry : model.constantPool()) {
            if (entry instanceof MemberRefEntry reference && isTime(reference)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isTime(MemberRefEntry reference) {
        return reference.owner().name().equalsString("java/lang/System")
                && TIMES.contains(reference.name().stringValue());
    }

    private static String key(String name, MethodModel method) {
        return name + "." + method.methodName().stringValue() + method.methodType().stringValue();
    }
}
