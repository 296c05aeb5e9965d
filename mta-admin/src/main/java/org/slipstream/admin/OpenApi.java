package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;

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
        return inOrder("openapi", FORM, "info", inOrder("title", "Slipstream", "version", "1"), "paths", paths);
    }

    private static Map<String, Object> operation(ApiResource resource) {
        List<Object> parameters = new ArrayList<>();
        Arrays.stream(resource.path().split("/")).filter(ApiResource::isVariable)
                .forEach(each -> parameters.add(inOrder("name", each.substring(1, each.length() - 1), "in", "path",
                        "required", true, "schema", Map.of("type", "string"))));
        resource.parameters().forEach(each -> parameters.add(parameter(each)));
        return inOrder("summary", resource.does(), "description",
                "Requires the right to " + resource.right().word() + ".", "parameters", parameters, "responses",
                inOrder("200", Map.of("description", "Done."), "400",
                        Map.of("description", "A parameter is wrong; `error` has the sentence."), "403",
                        Map.of("description", "The caller has a smaller right."), "404",
                        Map.of("description", "There is no such thing.")));
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
