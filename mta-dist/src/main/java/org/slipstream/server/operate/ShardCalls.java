package org.slipstream.server.operate;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.Operations.NotOnDiskException;
import org.slipstream.admin.operations.RequestAuthor;
import org.slipstream.core.Content;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.qmgr.journal.file.NodeText;
import org.slipstream.qmgr.shard.ShardCall;
import org.slipstream.qmgr.shard.ShardCall.ShardCallAnswer;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/// The methods of [ShardQueue] over the network. The node that an operator asks calls them at the owner of each
/// shard ([RemoteShard]), and merges the answers as it merges those of its own shards. So each view and each
/// order that works over several shards works over several nodes.
///
/// The key of the cluster is the authorization, and the node that was asked has checked the operator's right.
/// Nothing but these methods can be called. Records travel as [NodeText]; the content of a message as Base64 when
/// it fits into one answer.
public final class ShardCalls {
    /// The kind of these messages.
    public static final String SERVICE = "shard";
    private static final Logger log = LoggerFactory.getLogger(ShardCalls.class);
    /// Of a message between nodes 4 MiB are permitted, and Base64 and its quotes need a third more.
    static final int MOST_CONTENT = 2 << 20;
    private static final int VIEWS_AT_ONCE = 100;
    private static final int LOGGED = 300;
    private static final List<String> ORDERS = List.of("order", "flush", "flushAll");
    private static final Map<String, Method> METHODS = Arrays.stream(ShardQueue.class.getMethods())
            .filter(each -> Modifier.isAbstract(each.getModifiers()))
            .collect(Collectors.toMap(ShardCalls::name, Function.identity(), ShardCalls::narrower));

    private ShardCalls() {}

    private static String name(Method method) {
        return method.getName() + Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName)
                .collect(Collectors.joining(",", "(", ")"));
    }

    /// Of a method that two interfaces declare, the one whose result says more.
    private static Method narrower(Method one, Method other) {
        return one.getReturnType().isAssignableFrom(other.getReturnType()) ? other : one;
    }

    static Map<String, Method> methods() {
        return METHODS;
    }

    /// The records that concern all shards, of the node that answers.
    @FunctionalInterface
    public interface RecordsOfNode {
        Spool.CommonRecords read() throws IOException;
    }

    /// Sends a message to the owner of a shard.
    @FunctionalInterface
    public interface OwnerQuestion {
        /// @throws IOException when there is no answer in time
        String ask(String message) throws IOException;
    }

    // ---- the node that an operator asks

    /// The queue of a shard that another node owns.
    ///
    /// @param here the name of this node
    /// @param answered told each answer
    static ShardQueue queue(String here, int shard, OwnerQuestion owner, Consumer<ShardCallAnswer> answered) {
        Caller caller = new Caller(here, shard, owner, answered);
        return (ShardQueue) Proxy.newProxyInstance(ShardQueue.class.getClassLoader(), new Class<?>[]{ShardQueue.class},
                (_, method, arguments) -> caller.call(method, arguments == null ? List.of() : List.of(arguments)));
    }

    private record Caller(String here, int shard, OwnerQuestion owner, Consumer<ShardCallAnswer> answered) {
        @Nullable
        Object call(Method called, List<Object> arguments) throws IOException {
            Method method = METHODS.get(name(called));
            if (method == null) {
                throw new UnsupportedOperationException(called + " is no question to a shard");
            }
            return method.getName().equals("views") ? views(method, arguments) : ask(method, arguments);
        }

        /// In parts, because messages with many recipients are long.
        private List<Object> views(Method method, List<Object> arguments) throws IOException {
            List<?> ids = (List<?>) arguments.getFirst();
            List<Object> views = new ArrayList<>();
            for (int i = 0; i < ids.size(); i += VIEWS_AT_ONCE) {
                Object part = ask(method, List.of(ids.subList(i, Math.min(ids.size(), i + VIEWS_AT_ONCE))));
                views.addAll((List<?>) Objects.requireNonNull(part));
            }
            return views;
        }

        @Nullable
        private Object ask(Method method, List<Object> arguments) throws IOException {
            Type[] types = method.getGenericParameterTypes();
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < types.length; i++) {
                texts.add(types[i] == Spool.CommonRecords.class
                        ? ""
                        : NodeText.write(arguments.get(i), types[i]));
            }
            ShardCallAnswer answer = NodeText.read(
                    owner.ask(NodeText.write(new ShardCall(here, shard, name(method), texts,
                            RequestAuthor.current()))),
                    ShardCallAnswer.class);
            answered.accept(answer);
            if (answer.fault().isPresent()) {
                String why = answer.fault().get();
                throw answer.notOnDisk().orElse(false) ? new NotOnDiskException(why) : new IOException(why);
            }
            if (method.getReturnType() == void.class) {
                return null;
            }
            String value = answer.value().orElseThrow(() -> new IOException("the answer has no value"));
            return isContent(method) ? content(value) : NodeText.read(value, method.getGenericReturnType());
        }
    }

    private static boolean isContent(Method method) {
        return method.getName().equals("content");
    }

    private static Optional<Content> content(String base64) {
        return base64.isEmpty() ? Optional.empty() : Optional.of(Content.of(Base64.getDecoder().decode(base64)));
    }

    // ---- the owner

    /// Answers another node.
    ///
    /// @param shards the shards of this node that are open
    /// @throws IllegalArgumentException for a question that this version does not know
    public static String answer(String message, IntFunction<? extends Optional<? extends ShardPart>> shards,
            RecordsOfNode records) {
        ShardCall call = NodeText.read(message, ShardCall.class);
        Method method = METHODS.get(call.question());
        if (method == null || method.getParameterCount() != call.arguments().size()) {
            throw new IllegalArgumentException("\"" + call.question() + "\" is no question of this version");
        }
        Optional<? extends ShardPart> shard = shards.apply(call.shard());
        if (shard.isEmpty()) {
            return fault("this node does not own shard " + call.shard() + " any more", false, Optional.empty());
        }
        if (ORDERS.contains(method.getName())) {
            String text = String.join(" ", call.arguments());
            log.info("event=operator-request-of-node node={} author=\"{}\" shard={} order=\"{}\"",
                    LogText.word(call.from()), LogText.text(RequestAuthor.cut(call.by().orElse(""))), call.shard(),
                    LogText.text(text.substring(0, Math.min(LOGGED, text.length()))));
        }
        try {
            String value = invoke(method, call.arguments(), shard.get(), records);
            return NodeText.write(new ShardCallAnswer(Optional.of(value), Optional.empty(),
                    Optional.of(shard.get().load()), Optional.of(false)));
        } catch (IOException | RuntimeException failed) {
            return fault(FailureWords.of(failed), failed instanceof NotOnDiskException,
                    Optional.of(shard.get().load()));
        }
    }

    private static String fault(String why, boolean notOnDisk, Optional<ShardLoad> load) {
        return NodeText.write(new ShardCallAnswer(Optional.empty(), Optional.of(why), load, Optional.of(notOnDisk)));
    }

    private static String invoke(Method method, List<String> texts, ShardPart shard, RecordsOfNode records)
            throws IOException {
        Type[] types = method.getGenericParameterTypes();
        List<Object> arguments = new ArrayList<>();
        for (int i = 0; i < types.length; i++) {
            arguments.add(types[i] == Spool.CommonRecords.class
                    ? records.read()
                    : NodeText.read(texts.get(i), types[i]));
        }
        try {
            Object value = method.invoke(shard.queue(), arguments.toArray());
            if (isContent(method)) {
                return base64((Optional<?>) value);
            }
            return method.getReturnType() == void.class
                    ? ""
                    : NodeText.write(Objects.requireNonNull(value), method.getGenericReturnType());
        } catch (InvocationTargetException thrown) {
            switch (thrown.getCause()) {
                case IOException failed -> throw failed;
                case RuntimeException failed -> throw failed;
                case null, default -> throw new IOException(thrown.getCause());
            }
        } catch (IllegalAccessException unforeseen) {
            throw new IllegalStateException(unforeseen);
        }
    }

    private static String base64(Optional<?> found) throws IOException {
        if (found.isEmpty()) {
            return "";
        }
        Content content = (Content) found.get();
        if (content.sizeBytes() > MOST_CONTENT) {
            throw new IOException("the content has more than " + (MOST_CONTENT >> 20)
                    + " MiB: read it at the node that owns its shard (mta cluster status)");
        }
        try (InputStream in = content.open()) {
            return Base64.getEncoder().encodeToString(in.readAllBytes());
        }
    }
}
