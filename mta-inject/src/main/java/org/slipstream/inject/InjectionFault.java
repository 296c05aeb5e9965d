package org.slipstream.inject;

import org.slipstream.core.text.Controls;
import org.slipstream.http.HttpProblem;
import tools.jackson.core.JsonGenerator;

import java.io.Serial;
import java.util.OptionalInt;
import java.util.function.Consumer;

/// The reason for which a request is refused, as the body of RFC 9457 says it.
final class InjectionFault extends Exception {
    @Serial
    private static final long serialVersionUID = 1;
    private static final int RETRY_SECONDS = 10;
    private static final int RATE_SECONDS = 60;

    private final int status;
    private final String pointer;
    private final transient Consumer<JsonGenerator> more;

    private InjectionFault(int status, String detail, String pointer, Consumer<JsonGenerator> more) {
        super(Controls.onOneLine(detail));
        this.status = status;
        this.pointer = pointer;
        this.more = more;
    }

    static InjectionFault of(int status, String detail) {
        return new InjectionFault(status, detail, "", _ -> {});
    }

    /// @param pointer to the wrong part of a JSON body
    static InjectionFault at(String pointer, String detail) {
        return new InjectionFault(422, detail, pointer, _ -> {});
    }

    /// @param fields of the body beside those of RFC 9457
    InjectionFault with(Consumer<JsonGenerator> fields) {
        return new InjectionFault(status, detail(), pointer, fields);
    }

    int status() {
        return status;
    }

    String detail() {
        return String.valueOf(getMessage());
    }

    /// Seconds after which the same request may be accepted.
    OptionalInt retryAfter() {
        return switch (status) {
            case 409, 503 -> OptionalInt.of(RETRY_SECONDS);
            case 429 -> OptionalInt.of(RATE_SECONDS);
            default -> OptionalInt.empty();
        };
    }

    void write(JsonGenerator out) {
        out.writeStartObject();
        out.writeStringProperty("type", "about:blank");
        out.writeStringProperty("title", HttpProblem.title(status));
        out.writeNumberProperty("status", status);
        out.writeStringProperty("detail", detail());
        if (!pointer.isEmpty()) {
            out.writeStringProperty("pointer", pointer);
        }
        more.accept(out);
        out.writeEndObject();
    }
}
