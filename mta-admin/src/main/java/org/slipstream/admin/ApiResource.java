package org.slipstream.admin;

import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// One method of one resource under `/api/v1`. The declarations are the table by which requests are answered, and the
/// source of the description that programs read ([OpenApi]).
///
/// @param path with variables in braces: `queue/{id}`
/// @param does the effect in a sentence
record ApiResource(String method, String path, Right right, String does, List<ApiParameter> parameters,
        ApiAction action) {

    /// @param words the values that it may have; empty for any text
    record ApiParameter(String name, String doc, boolean required, List<String> words) {
        static ApiParameter of(String name, String doc) {
            return new ApiParameter(name, doc, false, List.of());
        }

        ApiParameter needed() {
            return new ApiParameter(name, doc, true, words);
        }
    }

    @FunctionalInterface
    interface ApiAction {
        /// @param query with the variables of the path
        ApiResponse apply(Query query) throws IOException;
    }

    static ApiResource get(String path, Right right, String does, List<ApiParameter> parameters, ApiAction action) {
        return new ApiResource("GET", path, right, does, parameters, action);
    }

    static ApiResource get(String path, Right right, String does, ApiAction action) {
        return get(path, right, does, List.of(), action);
    }

    static ApiResource post(String path, Right right, String does, List<ApiParameter> parameters, ApiAction action) {
        return new ApiResource("POST", path, right, does, parameters, action);
    }

    /// The resource of an order.
    ///
    /// @param further parameters beside the arguments of the order
    static ApiResource order(String path, OrderForm<?> form, List<ApiParameter> further, ApiAction action) {
        List<ApiParameter> all = new ArrayList<>(further);
        form.parts().forEach(part -> all.add(new ApiParameter(part.name(), part.argument().value(),
                part.argument().required() && !part.name().equals(OrderForm.AUTHOR), part.words())));
        return post(path, form.verb().right(), form.verb().does(), List.copyOf(all), action);
    }

    Set<String> names() {
        return parameters.stream().map(ApiParameter::name).collect(Collectors.toSet());
    }

    /// The values of the variables; empty when the path does not fit.
    Optional<Map<String, String>> variables(List<String> words) {
        List<String> mine = segments();
        Map<String, String> values = new LinkedHashMap<>();
        boolean fits = mine.size() == words.size();
        for (int i = 0; i < mine.size() && fits; i++) {
            String segment = mine.get(i);
            if (isVariable(segment)) {
                values.put(segment.substring(1, segment.length() - 1), words.get(i));
            } else {
                fits = segment.equals(words.get(i));
            }
        }
        return fits ? Optional.of(values) : Optional.empty();
    }

    /// The number of variables: of two paths that fit, the one with fewer is meant.
    int openness() {
        return (int) segments().stream().filter(ApiResource::isVariable).count();
    }

    private List<String> segments() {
        return Arrays.asList(path.split("/", -1));
    }

    static boolean isVariable(String segment) {
        return segment.startsWith("{");
    }
}
