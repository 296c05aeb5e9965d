package org.slipstream.core;

import org.slipstream.core.text.Controls;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Converts an exception into the error text of the operating system, which postmasters know from
/// other mail servers.
///
/// Java identifies many failures by a class alone: `PortUnreachableException` has no message, and
/// the message of `NoSuchFileException` is a path. Class names mean nothing to an operator and must
/// not appear in logs, replies or reports. The tables list classes by simple name, since this
/// package does not depend on networking or files.
public final class FailureWords {
    private static final Set<String> WRAPPERS = Set.of("UncheckedIOException", "ExecutionException",
            "CompletionException");
    /// These texts replace any message.
    private static final Map<String, String> NAMED = Map.of("NoRouteToHostException", "No route to host",
            "PortUnreachableException", "Connection refused", "UnknownHostException", "Host or domain name not found",
            "UnresolvedAddressException", "Host or domain name not found", "SocketTimeoutException",
            "Connection timed out", "TimeoutException", "Timeout exceeded", "ClosedChannelException",
            "Connection closed");
    /// These texts apply when there is no message.
    private static final Map<String, String> SILENT = Map.of("ConnectException", "Connection refused", "EOFException",
            "Unexpected end of data", "FileSystemException", "Input/output error");
    /// The message of these exceptions is a file name; the text follows it.
    private static final Map<String, String> OF_FILES = Map.of("NoSuchFileException", "No such file or directory",
            "AccessDeniedException", "Permission denied", "FileAlreadyExistsException", "File exists",
            "NotDirectoryException", "Not a directory", "DirectoryNotEmptyException", "Directory not empty");
    private static final Pattern CLASS_NAMES = Pattern
            .compile("(?:(?:[a-z][A-Za-z0-9_]*\\.)+[A-Z][A-Za-z0-9_$]*(?:Exception|Error):? *)+");
    private static final Pattern INNER_CAPITAL = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

    private FailureWords() {}

    public static String of(Throwable failure) {
        Throwable cause = failure.getCause();
        if (cause != null && WRAPPERS.contains(failure.getClass().getSimpleName())) {
            return of(cause);
        }
        Optional<String> message = Optional.ofNullable(failure.getMessage()).map(FailureWords::clean)
                .filter(text -> !text.isBlank());
        return find(NAMED, failure)
                .or(() -> find(OF_FILES, failure).map(words -> message.map(file -> file + ": ").orElse("") + words))
                .or(() -> message).or(() -> find(SILENT, failure)).orElseGet(() -> name(failure));
    }

    /// Looks up the class and its superclasses.
    private static Optional<String> find(Map<String, String> words, Throwable failure) {
        for (Class<?> type = failure.getClass(); type != Object.class; type = type.getSuperclass()) {
            if (words.containsKey(type.getSimpleName())) {
                return Optional.of(words.get(type.getSimpleName()));
            }
        }
        return Optional.empty();
    }

    /// A wrapper without a message of its own has the text of its cause behind the class name.
    private static String clean(String text) {
        return CLASS_NAMES.matcher(Controls.onOneLine(text)).replaceAll("").strip();
    }

    private static String name(Throwable failure) {
        if (failure.getCause() != null && failure.getCause() != failure) {
            return of(failure.getCause());
        }
        String name = failure.getClass().getSimpleName().replaceFirst("(Exception|Error)$", "");
        return name.isEmpty() ? "internal error" : INNER_CAPITAL.matcher(name).replaceAll(" ").toLowerCase(Locale.ROOT);
    }
}
