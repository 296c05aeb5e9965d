package org.slipstream.smtpin.command;

import org.slipstream.core.Address;
import org.slipstream.core.Reply;
import org.slipstream.core.text.Ascii;
import org.slipstream.core.text.Xtext;
import org.slipstream.smtpin.command.Command.Wrong;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Parses a command line (RFC 5321 section 4.1.1).
///
/// A verb matches as a whole and without case: `DATAXYZ` is not DATA. White space at the end of the
/// line is tolerated, as the RFC requires. A blank after `FROM:` and `TO:` is tolerated because
/// clients have sent one for twenty years. Nothing else is: a control character anywhere in a
/// command is an error, because servers disagree where such a command ends.
public final class CommandParser {
    private final String hostname;

    /// @param hostname the domain of a recipient `<Postmaster>` (RFC 5321 section 4.5.1)
    public CommandParser(String hostname) {
        this.hostname = hostname;
    }

    /// @param line without its CRLF, one character per octet
    public Command parse(String line) {
        String text = withoutWhiteSpaceAtTheEnd(line);
        int blank = text.indexOf(' ');
        String verb = Ascii.upper(blank < 0 ? text : text.substring(0, blank));
        int start = blank < 0 ? text.length() : blank;
        while (start < text.length() && text.charAt(start) == ' ') {
            start++;
        }
        Command command = parse(verb, text.substring(start));
        // A chunk follows even a malformed BDAT, so its own rules apply.
        boolean checked = command instanceof Wrong || command instanceof Command.Bdat;
        return checked || !hasControl(text)
                ? command
                : new Wrong(verb, Reply.of(501, "5.5.2", "Control character in command"));
    }

    // RFC 5321 section 4.1.1; WSP of RFC 5234 is a blank or a tab.
    private static String withoutWhiteSpaceAtTheEnd(String line) {
        int end = line.length();
        while (end > 0 && (line.charAt(end - 1) == ' ' || line.charAt(end - 1) == '\t')) {
            end--;
        }
        return line.substring(0, end);
    }

    // Octets from 128 to 159 are not controls here but parts of UTF-8.
    private static boolean hasControl(String text) {
        for (int i = 0; i < text.length(); i++) {
            char octet = text.charAt(i);
            if (octet < ' ' || octet == 127) {
                return true;
            }
        }
        return false;
    }

    private Command parse(String verb, String rest) {
        return switch (verb) {
            case "EHLO", "HELO", "LHLO" -> hello(verb, rest);
            case "MAIL" -> mail(rest);
            case "RCPT" -> rcpt(rest);
            case "DATA" -> alone(verb, rest, new Command.Data());
            case "RSET" -> alone(verb, rest, new Command.Rset());
            case "QUIT" -> alone(verb, rest, new Command.Quit());
            case "STARTTLS" -> alone(verb, rest, new Command.StartTls());
            case "BDAT" -> bdat(rest);
            case "AUTH" -> auth(rest);
            case "ETRN" -> etrn(rest);
            case "XCLIENT" -> xclient(rest);
            case "NOOP" -> new Command.Noop();
            case "HELP" -> new Command.Help();
            case "VRFY" -> rest.isEmpty() ? wrong(verb, "5.5.4", "Syntax: VRFY address") : new Command.Vrfy();
            case "EXPN" -> rest.isEmpty() ? wrong(verb, "5.5.4", "Syntax: EXPN list") : new Command.Expn();
            case "TURN", "ATRN", "SEND", "SOML", "SAML" -> new Command.Unserved(verb);
            case "GET", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "CONNECT", "PRI" -> new Command.Foreign(verb);
            default -> new Wrong(verb, Reply.of(500, "5.5.2", "Command not recognized"));
        };
    }

    // RFC 5321 section 4.1.1: DATA, RSET, QUIT, and STARTTLS of RFC 3207 section 4, are a verb and
    // CRLF.
    private static Command alone(String verb, String rest, Command command) {
        return rest.isEmpty() ? command : wrong(verb, "5.5.4", verb + " takes no argument");
    }

    // RFC 5321 section 4.1.1.1 requires a domain or an address literal. Names that real clients
    // send (`_`, NetBIOS names) are accepted if they form one word inside a Received line.
    private static Command hello(String verb, String name) {
        boolean word = !name.isEmpty() && name.length() <= 255
                && name.chars().allMatch(c -> c > ' ' && c < 127 && "()<>\"\\;,".indexOf(c) < 0);
        return word
                ? new Command.Hello(name, Command.Greeting.valueOf(verb))
                : wrong(verb, "5.5.4", "Syntax: " + verb + " hostname");
    }

    // RFC 5321 section 4.1.1.2: mail = "MAIL FROM:" Reverse-path [ SP Mail-parameters ].
    private static Command mail(String rest) {
        return switch (PathParser.parse("FROM:", rest)) {
            case PathParser.Failed failed -> failed("MAIL", failed, "5.1.7");
            case PathParser.Parsed parsed -> switch (parsed.path()) {
                case PathParser.Path.NullPath() -> mail(Optional.empty(), parsed.parameters());
                case PathParser.Path.Mailbox(Address sender) -> mail(Optional.of(sender), parsed.parameters());
                case PathParser.Path.Postmaster() -> wrong("MAIL", "5.1.7", "Sender address needs a domain");
            };
        };
    }

    private static Command mail(Optional<Address> sender, List<Parameter> parameters) {
        ParameterReader reader = ParameterReader.mail(parameters);
        return reader.wrong().<Command>map(reply -> new Wrong("MAIL", reply))
                .orElseGet(() -> new Command.Mail(sender, reader.forMail()));
    }

    // RFC 5321 section 4.1.1.3: rcpt = "RCPT TO:" ( "<Postmaster@" Domain ">" / "<Postmaster>" /
    // Forward-path ) [ SP Rcpt-parameters ]
    private Command rcpt(String rest) {
        return switch (PathParser.parse("TO:", rest)) {
            case PathParser.Failed failed -> failed("RCPT", failed, "5.1.3");
            case PathParser.Parsed parsed -> switch (parsed.path()) {
                case PathParser.Path.NullPath() -> wrong("RCPT", "5.1.3", "Recipient address is empty");
                case PathParser.Path.Mailbox(Address recipient) -> rcpt(recipient, parsed);
                case PathParser.Path.Postmaster() -> rcpt(new Address("postmaster", hostname), parsed);
            };
        };
    }

    private static Command rcpt(Address recipient, PathParser.Parsed parsed) {
        ParameterReader reader = ParameterReader.rcpt(parsed.parameters());
        return reader.wrong().<Command>map(reply -> new Wrong("RCPT", reply))
                .orElseGet(() -> new Command.Rcpt(recipient, parsed.routed(), reader.forRcpt()));
    }

    private static Command failed(String verb, PathParser.Failed failed, String badAddressStatus) {
        return switch (failed) {
            case KEYWORD -> wrong(verb, "5.5.4",
                    "Syntax: " + verb + (verb.equals("MAIL") ? " FROM:<address>" : " TO:<address>"));
            case PATH -> wrong(verb, badAddressStatus, "Bad address syntax");
            case PARAMETERS -> wrong(verb, "5.5.4", "Bad parameter syntax");
            case LONG_LOCAL_PART -> wrong(verb, badAddressStatus, "Local part too long, at most "
                    + PathParser.LOCAL_PART_OCTETS + " octets before its tag");
            case LONG_PATH ->
                wrong(verb, badAddressStatus, "Path too long, at most " + PathParser.PATH_OCTETS + " octets");
            case NOT_UTF8 -> new Wrong(verb, Reply.of(553, "5.6.7", "Address is neither ASCII nor UTF-8"));
        };
    }

    // RFC 3030 section 2: bdat-cmd = "BDAT" SP chunk-size [ SP "LAST" ].
    private static Command bdat(String rest) {
        String[] words = rest.split(" +");
        boolean last = words.length == 2 && Ascii.same(words[1], "LAST");
        return new Command.Bdat(words.length == 1 || last ? ParameterReader.number(words[0]) : OptionalLong.empty(),
                last);
    }

    // RFC 4954 section 4 and 8: auth-command = "AUTH" SP sasl-mech [ SP initial-response ] ;
    // sasl-mech of RFC 4422 section 3.1.
    private static Command auth(String rest) {
        String[] words = rest.split(" +");
        boolean wellFormed = words.length <= 2 && words[0].matches("[A-Za-z0-9_-]{1,20}");
        return wellFormed
                ? new Command.Auth(Ascii.upper(words[0]),
                        words.length == 1 ? Optional.empty() : Optional.of(words[1].equals("=") ? "" : words[1]))
                : wrong("AUTH", "5.5.4", "Syntax: AUTH mechanism [initial-response]");
    }

    // RFC 1985 section 5.3: etrn-cmd = "ETRN" SP [ "@" / "#" ] node-name.
    private static Command etrn(String node) {
        return node.matches("[@#]?[A-Za-z0-9._-]{1,255}")
                ? new Command.Etrn(node)
                : wrong("ETRN", "5.5.4", "Syntax: ETRN domain");
    }

    // Postfix's XCLIENT_README: "XCLIENT" 1*( SP attribute-name "=" attribute-value ), values in
    // xtext.
    private static Command xclient(String rest) {
        List<Parameter> attributes = new ArrayList<>();
        for (String word : rest.split(" +")) {
            int equals = word.indexOf('=');
            Optional<String> value = equals < 1 ? Optional.empty() : Xtext.decode(word.substring(equals + 1));
            if (value.isEmpty()) {
                return wrong("XCLIENT", "5.5.4", "Syntax: XCLIENT attribute=value");
            }
            attributes.add(new Parameter(Ascii.upper(word.substring(0, equals)), value.get()));
        }
        return new Command.Xclient(List.copyOf(attributes));
    }

    private static Wrong wrong(String verb, String status, String text) {
        return new Wrong(verb, Reply.of(501, status, text));
    }
}
