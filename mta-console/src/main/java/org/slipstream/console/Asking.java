package org.slipstream.console;

import org.slipstream.admin.ApiAccess;
import org.slipstream.admin.ApiCaller;
import org.slipstream.admin.ApiProblem;
import org.slipstream.admin.ApiResponse;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Requests of one caller to the API.
record Asking(ApiAccess api, ApiCaller caller) {
    /// @throws RefusedException with the sentence of the API
    <T> T get(Class<T> type, String path, String query) {
        return type.cast(done(api.ask("GET", path, query, caller)));
    }

    Map<String, Long> counters() {
        Map<String, Long> counters = new HashMap<>();
        Map<?, ?> body = get(Map.class, "counters", "");
        body.forEach((name, count) -> counters.put((String) name, (Long) count));
        return counters;
    }

    /// The value of a body that is a list under one name.
    <T> List<T> list(Class<T> type, String path, String name) {
        Map<?, ?> body = get(Map.class, path, "");
        return body.get(name) instanceof List<?> list ? list.stream().map(type::cast).toList() : List.of();
    }

    Object order(String path, String query) {
        return done(api.ask("POST", path, query, caller));
    }

    private static Object done(ApiResponse answer) {
        if (answer.status() != 200) {
            throw new RefusedException(answer.status(),
                    answer.body() instanceof ApiProblem problem ? problem.detail() : String.valueOf(answer.body()));
        }
        return answer.body();
    }
}
