package org.slipstream.cli.sendmail;

import java.util.Arrays;
import java.util.Optional;

/// The options of `sendmail`, one table for the parser and for the manual page.
public enum SendmailOption {
    RECIPIENTS_IN_HEADER('t', OptionWord.NONE, "-t", Treatment.HONOURED,
            "Take recipients from To, Cc and Bcc too, or from Resent-To, Resent-Cc and Resent-Bcc where one of these"
                    + " exists. Bcc and Resent-Bcc are removed with or without this option."), SENDER('f',
                            OptionWord.REQUIRED, "-f ADDRESS", Treatment.HONOURED,
                            "The sender of the envelope; `<>` or an empty word for none. The default is the user who calls."), OLD_SENDER(
                                    'r', OptionWord.REQUIRED, "-r ADDRESS", Treatment.HONOURED,
                                    "The same as `-f`."), FULL_NAME('F', OptionWord.REQUIRED, "-F NAME",
                                            Treatment.HONOURED,
                                            "The sender's full name, for the From of a message that has none. The default is the environment variable"
                                                    + " NAME, then the name in /etc/passwd."), DOTS('i',
                                                            OptionWord.NONE, "-i, -oi", Treatment.HONOURED,
                                                            "A line with a single dot does not end the message."), MODE(
                                                                    'b', OptionWord.REQUIRED, "-bm, -bs, -bp, -bi, -bv",
                                                                    Treatment.HONOURED,
                                                                    "The task: take a message (the default), speak SMTP on standard input and output, list the queue as"
                                                                            + " `mailq` does, check the aliases as `newaliases` does, verify recipients. The modes of a daemon"
                                                                            + " (-bd, -bD, -bl), of address tests (-bt) and of host status (-bh, -bH) are refused."), ALIASES(
                                                                                    'I', OptionWord.NONE, "-I",
                                                                                    Treatment.HONOURED,
                                                                                    "The same as `-bi`."), QUEUE('q',
                                                                                            OptionWord.ATTACHED,
                                                                                            "-q, -qIID, -qRDOMAIN",
                                                                                            Treatment.HONOURED,
                                                                                            "Try waiting mail now: all, one message, or the mail for a domain. Other selections and a time are refused,"
                                                                                                    + " because the server runs its queue by itself."), NOTIFY(
                                                                                                            'N',
                                                                                                            OptionWord.REQUIRED,
                                                                                                            "-N EVENTS",
                                                                                                            Treatment.HONOURED,
                                                                                                            "When to report to the sender: `never`, or a list of `failure`, `delay` and `success` (RFC 3461)."), RETURN(
                                                                                                                    'R',
                                                                                                                    OptionWord.REQUIRED,
                                                                                                                    "-R full|hdrs",
                                                                                                                    Treatment.HONOURED,
                                                                                                                    "The part of the message that a report of failure returns (RFC 3461)."), ENVELOPE_ID(
                                                                                                                            'V',
                                                                                                                            OptionWord.REQUIRED,
                                                                                                                            "-V ID",
                                                                                                                            Treatment.HONOURED,
                                                                                                                            "The envelope id that reports name (RFC 3461)."), BODY(
                                                                                                                                    'B',
                                                                                                                                    OptionWord.REQUIRED,
                                                                                                                                    "-B 7BIT|8BITMIME",
                                                                                                                                    Treatment.HONOURED,
                                                                                                                                    "The type of the content (RFC 6152)."), OPTION(
                                                                                                                                            'o',
                                                                                                                                            OptionWord.REQUIRED,
                                                                                                                                            "-oX",
                                                                                                                                            Treatment.IGNORED,
                                                                                                                                            "Options of Sendmail. Only `-oi` has an effect."), LONG_OPTION(
                                                                                                                                                    'O',
                                                                                                                                                    OptionWord.REQUIRED,
                                                                                                                                                    "-O NAME=VALUE",
                                                                                                                                                    Treatment.IGNORED,
                                                                                                                                                    "The same with long names."), CONFIGURATION(
                                                                                                                                                            'C',
                                                                                                                                                            OptionWord.REQUIRED,
                                                                                                                                                            "-C FILE",
                                                                                                                                                            Treatment.IGNORED,
                                                                                                                                                            "Ignored with a message: a caller chooses no settings."), ERRORS(
                                                                                                                                                                    'e',
                                                                                                                                                                    OptionWord.REQUIRED,
                                                                                                                                                                    "-eX",
                                                                                                                                                                    Treatment.IGNORED,
                                                                                                                                                                    "Errors are always written to standard error, and told by the exit status."), INITIAL(
                                                                                                                                                                            'A',
                                                                                                                                                                            OptionWord.REQUIRED,
                                                                                                                                                                            "-Ac, -Am",
                                                                                                                                                                            Treatment.IGNORED,
                                                                                                                                                                            "There is one configuration."), GATEWAY(
                                                                                                                                                                                    'G',
                                                                                                                                                                                    OptionWord.NONE,
                                                                                                                                                                                    "-G",
                                                                                                                                                                                    Treatment.IGNORED,
                                                                                                                                                                                    "Mail of a gateway."), HOPS(
                                                                                                                                                                                            'h',
                                                                                                                                                                                            OptionWord.REQUIRED,
                                                                                                                                                                                            "-h COUNT",
                                                                                                                                                                                            Treatment.IGNORED,
                                                                                                                                                                                            "The Received lines are counted."), LOG_TAG(
                                                                                                                                                                                                    'L',
                                                                                                                                                                                                    OptionWord.REQUIRED,
                                                                                                                                                                                                    "-L TAG",
                                                                                                                                                                                                    Treatment.IGNORED,
                                                                                                                                                                                                    "The log names the server's events."), ME_TOO(
                                                                                                                                                                                                            'm',
                                                                                                                                                                                                            OptionWord.NONE,
                                                                                                                                                                                                            "-m",
                                                                                                                                                                                                            Treatment.IGNORED,
                                                                                                                                                                                                            "A sender in an alias is never left out."), NO_ALIASES(
                                                                                                                                                                                                                    'n',
                                                                                                                                                                                                                    OptionWord.NONE,
                                                                                                                                                                                                                    "-n",
                                                                                                                                                                                                                    Treatment.IGNORED,
                                                                                                                                                                                                                    "Aliases always apply."), PROTOCOL(
                                                                                                                                                                                                                            'p',
                                                                                                                                                                                                                            OptionWord.REQUIRED,
                                                                                                                                                                                                                            "-p PROTOCOL",
                                                                                                                                                                                                                            Treatment.IGNORED,
                                                                                                                                                                                                                            "The origin of the message."), SUBMISSION(
                                                                                                                                                                                                                                    'U',
                                                                                                                                                                                                                                    OptionWord.NONE,
                                                                                                                                                                                                                                    "-U",
                                                                                                                                                                                                                                    Treatment.IGNORED,
                                                                                                                                                                                                                                    "Every message is a submission."), VERBOSE(
                                                                                                                                                                                                                                            'v',
                                                                                                                                                                                                                                            OptionWord.NONE,
                                                                                                                                                                                                                                            "-v",
                                                                                                                                                                                                                                            Treatment.IGNORED,
                                                                                                                                                                                                                                            "`mta trace` tells what happened to a message."), TRAFFIC(
                                                                                                                                                                                                                                                    'X',
                                                                                                                                                                                                                                                    OptionWord.REQUIRED,
                                                                                                                                                                                                                                                    "-X FILE",
                                                                                                                                                                                                                                                    Treatment.IGNORED,
                                                                                                                                                                                                                                                    "The traffic is not logged to a file."), DEBUG(
                                                                                                                                                                                                                                                            'd',
                                                                                                                                                                                                                                                            OptionWord.ATTACHED,
                                                                                                                                                                                                                                                            "-dX",
                                                                                                                                                                                                                                                            Treatment.IGNORED,
                                                                                                                                                                                                                                                            "Debugging of Sendmail."), CONTENT(
                                                                                                                                                                                                                                                                    'c',
                                                                                                                                                                                                                                                                    OptionWord.NONE,
                                                                                                                                                                                                                                                                    "-c",
                                                                                                                                                                                                                                                                    Treatment.IGNORED,
                                                                                                                                                                                                                                                                    "Obsolete."), STATUS_LINES(
                                                                                                                                                                                                                                                                            's',
                                                                                                                                                                                                                                                                            OptionWord.NONE,
                                                                                                                                                                                                                                                                            "-s",
                                                                                                                                                                                                                                                                            Treatment.IGNORED,
                                                                                                                                                                                                                                                                            "Obsolete."), LINES(
                                                                                                                                                                                                                                                                                    'x',
                                                                                                                                                                                                                                                                                    OptionWord.NONE,
                                                                                                                                                                                                                                                                                    "-x",
                                                                                                                                                                                                                                                                                    Treatment.IGNORED,
                                                                                                                                                                                                                                                                                    "Reserved for AIX.");

    /// The word of an option.
    public enum OptionWord {
        NONE,
        /// Attached or the next argument.
        REQUIRED,
        /// Only attached; it may be missing.
        ATTACHED
    }

    public enum Treatment {
        HONOURED, IGNORED
    }

    private final char letter;
    private final OptionWord parameter;
    private final String synopsis;
    private final Treatment treatment;
    private final String doc;

    SendmailOption(char letter, OptionWord parameter, String synopsis, Treatment treatment, String doc) {
        this.letter = letter;
        this.parameter = parameter;
        this.synopsis = synopsis;
        this.treatment = treatment;
        this.doc = doc;
    }

    static Optional<SendmailOption> of(char letter) {
        return Arrays.stream(values()).filter(each -> each.letter == letter).findFirst();
    }

    OptionWord parameter() {
        return parameter;
    }

    /// As in the manual: `-f ADDRESS`.
    public String synopsis() {
        return synopsis;
    }

    public Treatment treatment() {
        return treatment;
    }

    public String doc() {
        return doc;
    }
}
