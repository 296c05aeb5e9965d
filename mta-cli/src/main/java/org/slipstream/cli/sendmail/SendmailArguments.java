package org.slipstream.cli.sendmail;

import org.slipstream.cli.sendmail.SendmailCall.Mode;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Reads the arguments of `sendmail` by the rules of getopt(3): letters may share a dash (`-ti`), a
/// word may be attached (`-fuser@example.org`) or follow, options may follow recipients, and `--`
/// ends them.
public final class SendmailArguments {
    private Mode mode = Mode.MESSAGE;
    private Optional<String> sender = Optional.empty();
    private Optional<String> fullName = Optional.empty();
    private boolean recipientsInHeader;
    private boolean dotEnds = true;
    private final Set<DsnNotify> notifyOn = EnumSet.noneOf(DsnNotify.class);
    private DsnReturn returns = DsnReturn.UNSPECIFIED;
    private Optional<String> envelopeId = Optional.empty();
    private BodyType body = BodyType.EIGHT_BIT_MIME;
    private final List<String> recipients = new ArrayList<>();
    private String queue = "";
    private final List<String> remarks = new ArrayList<>();

    private SendmailArguments() {}

    public static SendmailCall parse(List<String> arguments) throws SendmailException {
        SendmailArguments call = new SendmailArguments();
        call.readAll(arguments.iterator());
        call.check();
        return new SendmailCall(call.mode, call.sender, call.fullName, call.recipientsInHeader, call.dotEnds,
                call.notifyOn, call.returns, call.envelopeId, call.body, call.recipients, call.queue, call.remarks);
    }

    private void readAll(Iterator<String> arguments) throws SendmailException {
        boolean options = true;
        while (arguments.hasNext()) {
            String argument = arguments.next();
            if (options && argument.equals("--")) {
                options = false;
            } else if (options && argument.length() > 1 && argument.startsWith("-")) {
                readLetters(argument, arguments);
            } else {
                recipients.add(argument);
            }
        }
    }

    private void readLetters(String argument, Iterator<String> rest) throws SendmailException {
        for (int at = 1; at < argument.length(); at++) {
            char letter = argument.charAt(at);
            SendmailOption option = SendmailOption.of(letter)
                    .orElseThrow(() -> usage("there is no option -" + letter));
            if (option.parameter() == SendmailOption.OptionWord.NONE) {
                take(option, "");
                continue;
            }
            String attached = argument.substring(at + 1);
            boolean isNext = attached.isEmpty() && option.parameter() == SendmailOption.OptionWord.REQUIRED;
            if (isNext && !rest.hasNext()) {
                throw usage("-" + letter + " needs a word behind it");
            }
            take(option, isNext ? rest.next() : attached);
            return;
        }
    }

    private void take(SendmailOption option, String word) throws SendmailException {
        switch (option) {
            case RECIPIENTS_IN_HEADER -> recipientsInHeader = true;
            case SENDER, OLD_SENDER -> sender = Optional.of(word.equals("<>") ? "" : word);
            case FULL_NAME -> fullName = Optional.of(word);
            case DOTS -> dotEnds = false;
            case OPTION -> dotEnds &= !word.equals("i");
            case MODE -> mode = mode(word);
            case ALIASES -> mode = Mode.CHECK_ALIASES;
            case QUEUE -> flush(word);
            case NOTIFY -> notify(word);
            case RETURN -> returns = switch (word.toLowerCase(Locale.ROOT)) {
                case "full" -> DsnReturn.FULL;
                case "hdrs" -> DsnReturn.HEADERS;
                default -> throw usage("-R is full or hdrs, and not " + word);
            };
            case ENVELOPE_ID -> envelopeId = Optional.of(envelopeId(word));
            case BODY -> body = switch (word.toUpperCase(Locale.ROOT)) {
                case "7BIT" -> BodyType.SEVEN_BIT;
                case "8BITMIME" -> BodyType.EIGHT_BIT_MIME;
                default -> throw usage("-B is 7BIT or 8BITMIME, and not " + word);
            };
            case CONFIGURATION -> remarks.add("-C " + word + " is ignored: a caller chooses no settings");
            case LONG_OPTION, ERRORS, INITIAL, GATEWAY, HOPS, LOG_TAG, ME_TOO, NO_ALIASES, PROTOCOL, SUBMISSION,
                    VERBOSE, TRAFFIC, DEBUG, CONTENT, STATUS_LINES, LINES -> {
                // Accepted, so that programs that set it work.
            }
        }
    }

    private static Mode mode(String word) throws SendmailException {
        return switch (word) {
            case "m" -> Mode.MESSAGE;
            case "s" -> Mode.SMTP;
            case "p" -> Mode.LIST_QUEUE;
            case "i" -> Mode.CHECK_ALIASES;
            case "v" -> Mode.VERIFY;
            case "d", "D", "l" -> throw usage("-b" + word + " starts no server here: mta run does");
            default -> throw usage("there is no mode -b" + word);
        };
    }

    private void flush(String selection) throws SendmailException {
        boolean known = selection.isEmpty() || selection.length() > 1 && "IR".indexOf(selection.charAt(0)) >= 0;
        if (!known) {
            throw usage("-q" + selection + " is not supported: the server runs its queue by itself");
        }
        mode = Mode.FLUSH;
        queue = selection;
    }

    private void notify(String words) throws SendmailException {
        for (String word : words.split(",")) {
            try {
                notifyOn.add(DsnNotify.valueOf(word.strip().toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException unknown) {
                throw usage("-N is never, or a list of failure, delay and success, and not " + words);
            }
        }
        if (notifyOn.contains(DsnNotify.NEVER) && notifyOn.size() > 1) {
            throw usage("-N never stands alone");
        }
    }

    /// RFC 3461 section 4.4: at most 100 characters, printable.
    private static String envelopeId(String word) throws SendmailException {
        if (word.isEmpty() || word.length() > 100 || word.chars().anyMatch(c -> c <= ' ' || c > '~')) {
            throw usage("-V is at most 100 characters of ASCII without blanks");
        }
        return word;
    }

    private void check() throws SendmailException {
        boolean needsRecipients = mode == Mode.VERIFY || mode == Mode.MESSAGE && !recipientsInHeader;
        if (needsRecipients && recipients.isEmpty()) {
            throw usage("recipient addresses must be given as arguments or with -t");
        }
    }

    private static SendmailException usage(String sentence) {
        return new SendmailException(SysExit.USAGE, sentence);
    }
}
