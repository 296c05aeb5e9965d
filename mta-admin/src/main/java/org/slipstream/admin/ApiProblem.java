package org.slipstream.admin;

import org.slipstream.http.HttpProblem;

import java.util.Optional;

/// The body of an error, as RFC 9457 writes it: `application/problem+json`.
///
/// @param type `about:blank`: the status says of which kind it is (section 4.2.1)
/// @param title the name of the status, the same for each error of this kind
/// @param detail a sentence for the caller
/// @param parameter the wrong parameter of the query; absent when it was none
public record ApiProblem(String type, String title, int status, String detail, Optional<String> parameter) {
    static ApiProblem of(int status, String detail, Optional<String> parameter) {
        return new ApiProblem("about:blank", HttpProblem.title(status), status, detail, parameter);
    }
}
