package org.slipstream.dist.cli;

import org.slipstream.dist.admin.AdminFiles;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// Asks the running server of a home folder, over loopback HTTP with the token that only the owner can read.
///
/// Whatever keeps it from being asked ends the command with one sentence.
final class AdminClient implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(60);

    private final Path home;
    private final AdminFiles.Door door;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT).build();
    private final JsonMapper json = JsonMapper.builder().build();

    private AdminClient(Path home, AdminFiles.Door door) {
        this.home = home;
        this.door = door;
    }

    static AdminClient of(Path home) {
        try {
            return AdminFiles.read(home).map(door -> new AdminClient(home, door))
                    .orElseThrow(() -> notRunning(home));
        } catch (IOException unreadable) {
            throw new CommandFailure(Exit.UNREACHABLE, "mta: " + home.resolve("run")
                    + " cannot be read; only the owner of the server may ask it", unreadable);
        }
    }

    /// The answer as the server wrote it; empty when there is no such thing.
    Optional<String> ask(String method, String path) {
        HttpResponse<String> answer = send(method, path);
        return switch (answer.statusCode()) {
            case 200 -> Optional.of(answer.body());
            case 404 -> Optional.empty();
            case 401, 403 -> throw new CommandFailure(Exit.UNREACHABLE,
                    "mta: port " + door.port() + " is no longer the server of home " + home);
            case 400 -> throw new CommandFailure(Exit.USAGE, "mta: " + sentence(answer));
            default -> throw new CommandFailure(Exit.NO, "mta: " + sentence(answer));
        };
    }

    <T> T read(String body, Class<T> type) {
        return json.readValue(body, type);
    }

    /// As the server would have written it.
    String write(Object body) {
        return json.writeValueAsString(body);
    }

    @Override
    public void close() {
        http.close();
    }

    private HttpResponse<String> send(String method, String path) {
        URI uri = URI.create("http://127.0.0.1:" + door.port() + "/api/v1/" + path);
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(ANSWER)
                .header("Authorization", "Bearer " + door.token())
                .method(method, HttpRequest.BodyPublishers.noBody()).build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (java.net.ConnectException | java.net.http.HttpConnectTimeoutException nobody) {
            throw notRunning(home);
        } catch (IOException broken) {
            throw new CommandFailure(Exit.UNREACHABLE, "mta: the server of home " + home + " does not answer", broken);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(Exit.UNREACHABLE, "mta: interrupted", stop);
        }
    }

    private String sentence(HttpResponse<String> answer) {
        try {
            return json.readTree(answer.body()).path("error").asString("the server answered " + answer.statusCode());
        } catch (RuntimeException noJson) {
            return "the server answered " + answer.statusCode();
        }
    }

    private static CommandFailure notRunning(Path home) {
        return new CommandFailure(Exit.UNREACHABLE,
                "mta: no server is running for home " + home + " (start it with ./mta --home " + home + " run)");
    }
}
