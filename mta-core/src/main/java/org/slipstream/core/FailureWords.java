package org.slipstream.core;

import java.io.EOFException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/// Why something failed, in the words of the operating system that postmasters know from other mail servers.
///
/// Java names many failures by a class alone (`PortUnreachableException` has no message, the message of
/// `NoSuchFileException` is a path). Such names mean nothing to an operator and must not get into logs, replies and
/// reports.
public final class FailureWords {
    private static final Pattern CLASS_NAMES = Pattern
            .compile("(?:(?:[a-z][A-Za-z0-9_]*\\.)+[A-Z][A-Za-z0-9_$]*(?:Exception|Error):? *)+");
    private static final Pattern INNER_CAPITAL = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

    private FailureWords() {}

    public static String of(Throwable failure) {
        return switch (failure) {
            case UncheckedIOException wrapped -> of(wrapped.getCause());
            case ExecutionException wrapped when wrapped.getCause() != null -> of(wrapped.getCause());
            case CompletionException wrapped when wrapped.getCause() != null -> of(wrapped.getCause());
            case NoRouteToHostException _ -> "No route to host";
            case PortUnreachableException _ -> "Connection refused";
            case UnknownHostException _ -> "Host or domain name not found";
            case UnresolvedAddressException _ -> "Host or domain name not found";
            case SocketTimeoutException _ -> "Connection timed out";
            case TimeoutException _ -> "Timeout exceeded";
            case ConnectException refused -> message(refused).orElse("Connection refused");
            case ClosedChannelException _ -> "Connection closed";
            case EOFException end -> message(end).orElse("Unexpected end of data");
            case FileSystemException file -> ofFile(file);
            default -> message(failure).map(text -> text.equals("Connection reset") ? text + " by peer" : text)
                    .orElseGet(() -> name(failure));
        };
    }

    private static String ofFile(FileSystemException failure) {
        String reason = switch (failure) {
            case NoSuchFileException _ -> "No such file or directory";
            case AccessDeniedException _ -> "Permission denied";
            case FileAlreadyExistsException _ -> "File exists";
            case NotDirectoryException _ -> "Not a directory";
            case DirectoryNotEmptyException _ -> "Directory not empty";
            default -> Optional.ofNullable(failure.getReason()).orElse("Input/output error");
        };
        return failure.getFile() == null ? reason : clean(failure.getFile()) + ": " + reason;
    }

    private static Optional<String> message(Throwable failure) {
        return Optional.ofNullable(failure.getMessage()).map(FailureWords::clean).filter(text -> !text.isBlank());
    }

    /// A wrapper whose message nobody wrote has the text of its cause, with the class in front.
    private static String clean(String text) {
        return CLASS_NAMES.matcher(text.replaceAll("\\p{Cntrl}+", " ")).replaceAll("").strip();
    }

    private static String name(Throwable failure) {
        if (failure.getCause() != null && failure.getCause() != failure) {
            return of(failure.getCause());
        }
        String name = failure.getClass().getSimpleName().replaceFirst("(Exception|Error)$", "");
        return name.isEmpty() ? "internal error" : INNER_CAPITAL.matcher(name).replaceAll(" ").toLowerCase(Locale.ROOT);
    }
}
