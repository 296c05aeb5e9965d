package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.http.HttpProblem;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The description of the API for programs, in the form of OpenAPI 3.1, made from the resources themselves.
final class OpenApi {
    private static final String FORM = "3.1.1";

    private OpenApi() {}

    static Map<String, Object> description(List<ApiResource> resources) {
        Map<String, Object> paths = new LinkedHashMap<>();
        for (ApiResource resource : resources) {
            @SuppressWarnings("unchecked")
            Map<String, Object> methods = (Map<String, Object>) paths.computeIfAbsent(Api.ROOT + resource.path(),
                    _ -> new LinkedHashMap<String, Object>());
            methods.put(resource.method().toLowerCase(Locale.ROOT), operation(resource));
        }
        return inOrder("openapi", FORM, "info", inOrder("title", "Slipstream", "version", "1"), "paths", paths,
                "components", Map.of("schemas", Map.of("problem", problem())));
    }

    private static Map<String, Object> operation(ApiResource resource) {
        List<Object> parameters = new ArrayList<>();
        Arrays.stream(resource.path().split("/")).filter(ApiResource::isVariable)
                .forEach(each -> parameters.add(inOrder("name", each.substring(1, each.length() - 1), "in", "path",
                        "required", true, "schema", Map.of("type", "string"))));
        resource.parameters().forEach(each -> parameters.add(parameter(each)));
        return inOrder("summary", resource.does(), "description",
                "Requires the right to " + resource.right().word() + ".", "parameters", parameters, "responses",
                inOrder("200", Map.of("description", "Done."), "default",
                        inOrder("description", "Refused, or failed; `detail` has the sentence (RFC 9457).", "content",
                                Map.of(HttpProblem.MEDIA_TYPE,
                                        Map.of("schema", Map.of("$ref", "#/components/schemas/problem"))))));
    }

    private static Map<String, Object> problem() {
        Map<String, Object> text = Map.of("type", "string");
        return inOrder("type", "object", "required", List.of("type", "title", "status", "detail"), "properties",
                inOrder("type", text, "title", text, "status", Map.of("type", "integer"), "detail", text, "parameter",
                        inOrder("type", "string", "description", "The wrong parameter, if it was one.")));
    }

    private static Map<String, Object> parameter(ApiParameter each) {
        return inOrder("name", each.name(), "in", "query", "description", each.doc(), "required", each.required(),
                "schema",
                each.words().isEmpty() ? Map.of("type", "string") : inOrder("type", "string", "enum", each.words()));
    }

    private static Map<String, Object> inOrder(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }
}
