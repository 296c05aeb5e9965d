package org.slipstream.server.report;

import org.slipstream.core.EnhancedStatus;

/// The meaning of an enhanced status code (RFC 3463) for people: the cause, and the next step of
/// the sender.
///
/// @param advice empty when the sender can do nothing
record PlainWords(String meaning, String advice) {
    private static final String CHECK_ADDRESS = "Check the spelling of the address.";
    private static final String ANOTHER_WAY = "Contact the recipient in another way.";
    private static final String WAIT = "This usually passes without your help.";
    private static final String ASK_ADMINISTRATOR = "Ask your administrator, and show this report.";

    /// The words of the exact code, otherwise of its class.
    static PlainWords of(EnhancedStatus status) {
        return switch (status.subject() + "." + status.detail()) {
            case "1.1" -> new PlainWords("There is no mailbox of this name.", CHECK_ADDRESS);
            case "1.2" -> new PlainWords("There is no such domain; is the address spelled correctly?", CHECK_ADDRESS);
            case "1.10" -> new PlainWords("This domain does not accept mail.", ANOTHER_WAY);
            case "2.1" -> new PlainWords("The mailbox is disabled.", ANOTHER_WAY);
            case "2.2" -> new PlainWords("The mailbox is full.", "Send it again later, or tell the recipient.");
            case "2.3", "3.4" -> new PlainWords("The message is too large.", "Send less, or send a link to the data.");
            case "4.1" -> new PlainWords("The other server could not be reached.", WAIT);
            case "4.2" -> new PlainWords("The connection to the other server was lost.", WAIT);
            case "4.3" -> new PlainWords("The domain's name servers did not answer.", WAIT);
            case "4.4" -> new PlainWords("No mail server for this domain could be determined.", CHECK_ADDRESS);
            case "4.6" -> new PlainWords("A mail loop between servers was detected.", ASK_ADMINISTRATOR);
            case "4.7" -> new PlainWords("The message expired: it could not be delivered in the permitted time.",
                    "Send it again later, or contact the recipient in another way.");
            case "6.7" -> new PlainWords("The other server does not accept such addresses.",
                    "Ask the recipient for an address in ASCII.");
            case "7.1" -> new PlainWords("The other server refused the message for policy reasons.",
                    ASK_ADMINISTRATOR);
            default -> ofSubject(status);
        };
    }

    private static PlainWords ofSubject(EnhancedStatus status) {
        return switch (status.subject()) {
            case 1 -> new PlainWords("The address was not accepted.", CHECK_ADDRESS);
            case 2 -> new PlainWords("The mailbox does not accept the message.", ANOTHER_WAY);
            case 3 -> new PlainWords("The mail system has a problem.", status.category() == 5 ? ANOTHER_WAY : WAIT);
            case 4 -> new PlainWords("The message could not be brought to its destination.", WAIT);
            case 5 -> new PlainWords("The servers did not understand each other.", ASK_ADMINISTRATOR);
            case 6 -> new PlainWords("The content of the message was not accepted.",
                    "Send it in another form, for example as plain text.");
            case 7 -> new PlainWords("The message was refused for reasons of security or policy.", ASK_ADMINISTRATOR);
            default -> new PlainWords("", "");
        };
    }
}
