package org.slipstream.auth.results;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The result of one method. Reason and values of properties may be any text of a stranger; the names
/// are our own.
///
/// @param method such as `spf`
/// @param result such as `pass`
/// @param reason in words
public record MethodResult(String method, String result, Optional<String> reason, List<Property> properties) {
    private static final Pattern KEYWORD = Pattern.compile("[a-z][a-z0-9-]*");
    private static final Pattern PROPERTY = Pattern.compile("[a-z]+\\.[a-z][a-z0-9-]*");

    public MethodResult {
        properties = List.copyOf(properties);
        if (!KEYWORD.matcher(method).matches() || !KEYWORD.matcher(result).matches()) {
            throw new IllegalArgumentException("not keywords: " + method + "=" + result);
        }
    }

    public static MethodResult of(String method, String result, Property... properties) {
        return new MethodResult(method, result, Optional.empty(), List.of(properties));
    }

    public MethodResult because(String text) {
        return new MethodResult(method, result, Optional.of(text), properties);
    }

    /// A part of the message or the session that was judged.
    ///
    /// @param name such as `smtp.mailfrom`
    public record Property(String name, String value) {
        public Property {
            if (!PROPERTY.matcher(name).matches()) {
                throw new IllegalArgumentException("not a property: " + name);
            }
        }
    }
}
