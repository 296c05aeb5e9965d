package org.slipstream.cli.frame;

import org.slipstream.admin.AdminSocket;
import org.slipstream.admin.ApiClient;
import org.slipstream.core.text.Controls;
import tools.jackson.core.JacksonException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// Queries the running server of a home folder over its socket, which only the owner can open.
///
/// Any failure ends the command with one sentence.
public final class AdminClient implements AutoCloseable {
    private static final Duration ANSWER = Duration.ofSeconds(60);

    private final Path home;
    private final ApiClient api;

    private AdminClient(Path home, ApiClient api) {
        this.home = home;
        this.api = api;
    }

    public static AdminClient of(MtaCommand mta) {
        Path home = mta.home();
        Path socket = mta.socket().orElseGet(() -> AdminSocket.in(home));
        Optional<String> token = mta.token();
        try {
            return new AdminClient(home, ApiClient.connect(socket, token, ANSWER));
        } catch (NoSuchFileException | ConnectException refused) {
            throw new CommandFailure(Exit.UNREACHABLE,
                    "mta: no server is running for home " + home + " (start it with mta --home " + home + " run)");
        } catch (AccessDeniedException denied) {
            throw new CommandFailure(Exit.UNREACHABLE, "mta: " + socket
                    + " cannot be opened: permission denied (only the owner of the server may use it, or the group with"
                    + " --socket and a token)", denied);
        } catch (IOException trouble) {
            throw new CommandFailure(Exit.UNREACHABLE, "mta: the server of home " + home + " cannot be reached: "
                    + trouble.getMessage(), trouble);
        }
    }

    /// Gives one order.
    ///
    /// @param unknown the failure when its subject does not exist
    /// @return the answer as the server wrote it
    public static String order(MtaCommand mta, String path, Supplier<CommandFailure> unknown) {
        try (AdminClient server = of(mta)) {
            return server.ask("POST", path).orElseThrow(unknown);
        }
    }

    /// Prints a resource: as the server wrote it, or in lines.
    public static <T extends Record> int show(MtaCommand mta, String resource, boolean json, Class<T> type,
            Function<T, List<String>> lines) {
        try (AdminClient server = of(mta)) {
            String body = server.ask("GET", resource).orElseThrow();
            (json ? List.of(body) : lines.apply(RecordJson.read(body, type))).forEach(mta.world().out()::println);
        }
        return Exit.DONE;
    }

    /// The answer as the server wrote it; empty when the resource does not exist.
    public Optional<String> ask(String method, String path) {
        ApiClient.ApiReply reply = send(method, path);
        return switch (reply.status()) {
            case 200 -> Optional.of(reply.body());
            case 404 -> Optional.empty();
            case 400 -> throw new CommandFailure(Exit.USAGE, "mta: " + sentence(reply));
            default -> throw new CommandFailure(Exit.NO, "mta: " + sentence(reply));
        };
    }

    /// Writes the content of a message into a stream.
    ///
    /// @return false when the message does not exist
    public boolean fetch(String path, OutputStream content) {
        ApiClient.ApiReply reply = exchanged(() -> api.fetch(path, content));
        return switch (reply.status()) {
            case 200 -> true;
            case 404 -> false;
            case 400 -> throw new CommandFailure(Exit.USAGE, "mta: " + sentence(reply));
            default -> throw new CommandFailure(Exit.NO, "mta: " + sentence(reply));
        };
    }

    /// A server is running for the home folder.
    public static boolean isRunning(Path home) {
        try (ApiClient _ = ApiClient.connect(AdminSocket.in(home), ANSWER)) {
            return true;
        } catch (NoSuchFileException | ConnectException refused) {
            return false;
        } catch (IOException trouble) {
            return true;
        }
    }

    @Override
    public void close() {
        api.close();
    }

    private interface Exchange {
        ApiClient.ApiReply run() throws IOException;
    }

    private ApiClient.ApiReply send(String method, String path) {
        return exchanged(() -> api.ask(method, path));
    }

    private ApiClient.ApiReply exchanged(Exchange exchange) {
        try {
            return exchange.run();
        } catch (InterruptedIOException silent) {
            throw new CommandFailure(Exit.UNREACHABLE, "mta: the server of home " + home + " does not respond", silent);
        } catch (IOException broken) {
            throw new CommandFailure(Exit.UNREACHABLE, "mta: the server of home " + home + " closed the connection",
                    broken);
        }
    }

    /// The part of a problem (RFC 9457) that is for a person.
    private record Refusal(Optional<String> detail) {}

    private static String sentence(ApiClient.ApiReply reply) {
        String otherwise = "the server answered " + reply.status();
        try {
            return RecordJson.read(reply.body(), Refusal.class).detail().orElse(otherwise);
        } catch (JacksonException noJson) {
            return otherwise;
        }
    }

    /// A text as a parameter of a request. The server would refuse an invisible character, too.
    public static String encoded(String text) {
        Controls.refusal("\"" + Controls.replaced(text) + "\"", text).ifPresent(sentence -> {
            throw new CommandFailure(Exit.USAGE, "mta: " + sentence);
        });
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
