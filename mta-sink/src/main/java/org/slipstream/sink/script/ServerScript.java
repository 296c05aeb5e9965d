package org.slipstream.sink.script;

import java.util.List;

/// The description of a mail server: its form, its limits, and rules of which the first that
/// applies decides. Without limits and rules it accepts all mail as RFC 5321 asks.
///
/// @param file of the script, for messages
/// @param source where the behaviour is documented; may be empty
/// @param seed of the rules that apply by chance
/// @param http rules of the web server beside it
/// @param lines of the keys, by their paths such as `server.tls`
public record ServerScript(String file, String title, String source, long seed, ServerForm form, ScriptLimits limits,
        List<ScriptRule> rules, List<HttpRule> http, java.util.Map<String, Integer> lines) {
    public ServerScript {
        rules = List.copyOf(rules);
        http = List.copyOf(http);
        lines = java.util.Map.copyOf(lines);
    }

    /// A server that accepts all mail.
    public static ServerScript accepting() {
        return ScriptReader.read("built-in", "title = \"A server that accepts all mail\"");
    }
}
