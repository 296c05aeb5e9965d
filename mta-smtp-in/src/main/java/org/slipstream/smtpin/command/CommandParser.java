package org.slipstream.smtpin.command;

import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.command.Command.Wrong;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// Reads a command line (RFC 5321 section 4.1.1).
///
/// A verb matches as a whole and without case: `DATAXYZ` is not DATA. Blanks before the line's end are tolerated, as the
/// RFC asks; a blank after `FROM:` and `TO:` is tolerated because clients of twenty years send one. Nothing else is.
public final class CommandParser {
    private final String hostname;

    /// @param hostname the domain of a recipient `<Postmaster>` (RFC 5321 section 4.5.1)
    public CommandParser(String hostname) {
        this.hostname = hostname;
    }

    /// @param line without its CRLF, one character per octet
    public Command parse(String line) {
        String text = line.stripTrailing();
        int blank = text.indexOf(' ');
        String verb = (blank < 0 ? text : text.substring(0, blank)).toUpperCase(Locale.ROOT);
        String rest = blank < 0 ? "" : text.substring(blank + 1).stripLeading();
        return switch (verb) {
            case "EHLO", "HELO" -> hello(verb, rest);
            case "MAIL" -> mail(rest);
            case "RCPT" -> rcpt(rest);
            case "DATA" -> alone(verb, rest, new Command.Data());
            case "RSET" -> alone(verb, rest, new Command.Rset());
            case "QUIT" -> alone(verb, rest, new Command.Quit());
            case "STARTTLS" -> alone(verb, rest, new Command.StartTls());
            case "BDAT" -> bdat(rest);
            case "NOOP" -> new Command.Noop();
            case "HELP" -> new Command.Help();
            case "VRFY" -> rest.isEmpty() ? wrong(verb, "5.5.4", "Syntax: VRFY address") : new Command.Vrfy();
            case "AUTH", "EXPN", "ETRN", "TURN", "ATRN", "SEND", "SOML", "SAML" -> new Command.Unserved(verb);
            case "GET", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "CONNECT", "PRI" -> new Command.Foreign(verb);
            default -> new Wrong(verb, Reply.of(500, "5.5.2", "Command not recognized"));
        };
    }

    private static Command alone(String verb, String rest, Command command) {
        return rest.isEmpty() ? command : wrong(verb, "5.5.4", verb + " takes no argument");
    }

    // RFC 5321 section 4.1.1.1 wants a domain or an address literal. What real clients send (`_`, NetBIOS names) is taken
    // as long as it stays one word inside a Received line.
    private static Command hello(String verb, String name) {
        boolean word = !name.isEmpty() && name.length() <= 255
                && name.chars().allMatch(c -> c > ' ' && c < 127 && "()<>\"\\;,".indexOf(c) < 0);
        return word
                ? new Command.Hello(name, verb.equals("EHLO"))
                : wrong(verb, "5.5.4", "Syntax: " + verb + " hostname");
    }

    private static Command mail(String rest) {
        return switch (PathParser.parse("FROM:", rest)) {
            case PathParser.Failed failed -> failed("MAIL", failed, "5.1.7");
            case PathParser.Parsed parsed -> switch (parsed.path()) {
                case PathParser.Path.Nobody() -> mail(Optional.empty(), parsed.parameters());
                case PathParser.Path.Mailbox(Address sender) -> mail(Optional.of(sender), parsed.parameters());
                case PathParser.Path.Postmaster() -> wrong("MAIL", "5.1.7", "A sender has a domain");
            };
        };
    }

    private static Command mail(Optional<Address> sender, List<Parameter> parameters) {
        long declaredBytes = 0;
        Optional<BodyType> body = Optional.empty();
        for (Parameter parameter : parameters) {
            switch (parameter.keyword()) {
                case "SIZE" -> {
                    OptionalLong size = number(parameter.value());
                    if (size.isEmpty()) {
                        return wrong("MAIL", "5.5.4", "Syntax: SIZE=number");
                    }
                    declaredBytes = size.getAsLong();
                }
                case "BODY" -> {
                    body = body(parameter.value());
                    if (body.isEmpty()) {
                        return wrong("MAIL", "5.5.4", "Syntax: BODY=7BIT or BODY=8BITMIME");
                    }
                }
                default -> {
                    return unknown("MAIL", parameter);
                }
            }
        }
        return new Command.Mail(sender, declaredBytes, body);
    }

    private Command rcpt(String rest) {
        return switch (PathParser.parse("TO:", rest)) {
            case PathParser.Failed failed -> failed("RCPT", failed, "5.1.3");
            case PathParser.Parsed parsed when !parsed.parameters().isEmpty() -> unknown("RCPT",
                    parsed.parameters().getFirst());
            case PathParser.Parsed parsed -> switch (parsed.path()) {
                case PathParser.Path.Nobody() -> wrong("RCPT", "5.1.3", "A recipient has a name");
                case PathParser.Path.Mailbox(Address recipient) -> new Command.Rcpt(recipient);
                case PathParser.Path.Postmaster() -> new Command.Rcpt(new Address("postmaster", hostname));
            };
        };
    }

    private static Command failed(String verb, PathParser.Failed failed, String badAddressStatus) {
        return switch (failed) {
            case KEYWORD -> wrong(verb, "5.5.4",
                    "Syntax: " + verb + (verb.equals("MAIL") ? " FROM:<address>" : " TO:<address>"));
            case PATH -> wrong(verb, badAddressStatus, "Bad address syntax");
            case PARAMETERS -> wrong(verb, "5.5.4", "Bad parameter syntax");
            // RFC 6531 section 3.5; SMTPUTF8 is not announced.
            case NOT_ASCII -> new Wrong(verb, Reply.of(553, "5.6.7", "Non-ASCII addresses are not served here"));
        };
    }

    // RFC 5321 section 4.1.1.11.
    private static Command unknown(String verb, Parameter parameter) {
        return new Wrong(verb, Reply.of(555, "5.5.4", "Parameter not recognized: " + parameter.keyword()));
    }

    // RFC 3030 section 2: `BDAT` SP chunk-size [SP `LAST`].
    private static Command bdat(String rest) {
        String[] words = rest.split(" +");
        boolean wellFormed = words.length == 1 || words.length == 2 && words[1].equalsIgnoreCase("LAST");
        return new Command.Bdat(wellFormed ? number(words[0]) : OptionalLong.empty());
    }

    private static Optional<BodyType> body(String value) {
        return switch (value.toUpperCase(Locale.ROOT)) {
            case "7BIT" -> Optional.of(BodyType.SEVEN_BIT);
            case "8BITMIME" -> Optional.of(BodyType.EIGHT_BIT_MIME);
            default -> Optional.empty();
        };
    }

    // RFC 1870 section 3: one to twenty digits. Twenty digits may exceed a long; then they exceed every limit too.
    private static OptionalLong number(String digits) {
        if (digits.isEmpty() || digits.length() > 20 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(digits.length() > 18 ? Long.MAX_VALUE : Long.parseLong(digits));
    }

    private static Wrong wrong(String verb, String status, String text) {
        return new Wrong(verb, Reply.of(501, status, text));
    }
}
