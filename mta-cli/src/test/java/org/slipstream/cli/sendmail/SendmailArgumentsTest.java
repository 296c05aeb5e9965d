package org.slipstream.cli.sendmail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.cli.sendmail.SendmailCall.Mode;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;

import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SendmailArgumentsTest {
    /// As programs call it. Sender and full name: `-` where none is given.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # who            | arguments                                   | mode    | sender    | name       | -t    | dot   | recipients
            cron             | -FCronDaemon -i -B8BITMIME -oem root        | MESSAGE | -         | CronDaemon | false | false | root
            cronie           | -FCronDaemon -i -odi -oem -oi -t -f root    | MESSAGE | root      | CronDaemon | true  | false |
            PHP              | -t -i                                       | MESSAGE | -         | -          | true  | false |
            PHP with -f      | -t -i -fwww@x.example                       | MESSAGE | www@x.example | -      | true  | false |
            mutt             | -oem -oi -f me@x.example -- a@y.example     | MESSAGE | me@x.example  | -      | false | false | a@y.example
            git              | -f me@x.example -i a@y.example b@z.example  | MESSAGE | me@x.example  | -      | false | false | a@y.example b@z.example
            bsd-mailx        | -i a@y.example                              | MESSAGE | -         | -          | false | false | a@y.example
            s-nail           | -i -m -r me@x.example -- a@y.example        | MESSAGE | me@x.example  | -      | false | false | a@y.example
            at               | -i user                                     | MESSAGE | -         | -          | false | false | user
            options behind   | a@y.example -f b@x.example                  | MESSAGE | b@x.example   | -      | false | true  | a@y.example
            letters together | -tif b@x.example                            | MESSAGE | b@x.example   | -      | true  | false |
            null sender      | -f <> a@y.example                           | MESSAGE | ''        | -          | false | true  | a@y.example
            a dash           | -bm -- -odd@y.example                       | MESSAGE | -         | -          | false | true  | -odd@y.example
            ignored          | -v -U -G -n -m -Am -L tag -h 3 -p ESMTP -O Timeout=1 -x -d0 -X /dev/null -ee a@y.example | MESSAGE | - | - | false | true | a@y.example
            the queue        | -bp                                         | LIST_QUEUE | -      | -          | false | true  |
            the aliases      | -bi                                         | CHECK_ALIASES | -   | -          | false | true  |
            the aliases      | -I                                          | CHECK_ALIASES | -   | -          | false | true  |
            a dialogue       | -bs                                         | SMTP    | -         | -          | false | true  |
            verify           | -bv a@y.example                             | VERIFY  | -         | -          | false | true  | a@y.example
            flush            | -q                                          | FLUSH   | -         | -          | false | true  |
            """)
    void theArgumentsOfCommonProgramsAreUnderstood(String program, String arguments, Mode mode, String sender,
            String name, boolean inHeader, boolean dotEnds, String recipients) throws SendmailException {
        SendmailCall call = parse(arguments);
        assertThat(call.mode()).as(program).isEqualTo(mode);
        assertThat(call.sender().orElse("-")).isEqualTo(sender);
        assertThat(call.fullName().orElse("-")).isEqualTo(name);
        assertThat(call.recipientsInHeader()).isEqualTo(inHeader);
        assertThat(call.dotEnds()).isEqualTo(dotEnds);
        assertThat(String.join(" ", call.recipients())).isEqualTo(recipients == null ? "" : recipients);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            -i                      | recipient addresses must be given as arguments or with -t
            -bv                     | recipient addresses must be given as arguments or with -t
            -Z a@y.example          | there is no option -Z
            -f                      | -f needs a word behind it
            -bd -q30m               | -bd starts no server here: mta run does
            -bt                     | there is no mode -bt
            -q30m                   | -q30m is not supported: the server runs its queue by itself
            -qSa@x.example          | -qSa@x.example is not supported: the server runs its queue by itself
            -N often a@y.example    | -N is never, or a list of failure, delay and success, and not often
            -N never,delay a@y.example | -N never stands alone
            -R half a@y.example     | -R is full or hdrs, and not half
            -B BINARYMIME a@y.example | -B is 7BIT or 8BITMIME, and not BINARYMIME
            """)
    void aMistakeIsOneSentenceWithTheExitCodeOfWrongUsage(String arguments, String sentence) {
        assertThatThrownBy(() -> parse(arguments)).hasMessage(sentence)
                .isInstanceOfSatisfying(SendmailException.class, wrong -> assertThat(wrong.exit()).isEqualTo(64));
    }

    @Test
    void reportsAreRequestedAsWithPostfix() throws SendmailException {
        SendmailCall call = parse("-N success,DELAY -R hdrs -V id+1 -B7BIT a@y.example");
        assertThat(call.notifyOn()).isEqualTo(Set.of(DsnNotify.SUCCESS, DsnNotify.DELAY));
        assertThat(call.returns()).isEqualTo(DsnReturn.HEADERS);
        assertThat(call.envelopeId()).contains("id+1");
        assertThat(call.body()).isEqualTo(BodyType.SEVEN_BIT);
    }

    @Test
    void aConfigurationIsIgnoredWithAWord() throws SendmailException {
        assertThat(parse("-C /etc/other a@y.example").remarks()).singleElement().asString().contains("-C /etc/other");
    }

    private static SendmailCall parse(String arguments) throws SendmailException {
        return SendmailArguments.parse(List.of(arguments.split(" ")));
    }
}
