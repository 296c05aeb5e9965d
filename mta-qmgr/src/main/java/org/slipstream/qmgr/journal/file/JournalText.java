package org.slipstream.qmgr.journal.file;

import org.slipstream.qmgr.journal.JournalRecord;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/// The text form of journal records: each is one line of JSON. The first field, `record`, names the
/// kind in kebab-case: `{"record":"pick","at":…}`. A value of a sealed family has such a field, too,
/// `is`.
///
/// The form follows from the record classes ([ValueText]), so a new event or order needs no line
/// here.
public final class JournalText {
    private static final JsonFactory JSON = new JsonFactory();
    private static final String KIND = "record";
    private static final String CUT = "the line is cut off";

    private JournalText() {}

    /// A line that is no record.
    public static final class UnreadableRecordException extends Exception {
        private static final long serialVersionUID = 1L;

        UnreadableRecordException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /// Without the line end.
    public static String write(JournalRecord record) {
        return ValueText.write((Record) record, KIND);
    }

    /// @throws UnreadableRecordException when the line is damaged, or of another version
    public static JournalRecord read(String line) throws UnreadableRecordException {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), line)) {
            if (parser.nextToken() == null) {
                throw new IllegalArgumentException(CUT);
            }
            JournalRecord record = (JournalRecord) ValueText.read(parser, JournalRecord.class, KIND);
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("text after the record");
            }
            return record;
        } catch (JacksonException noJson) {
            boolean cut = noJson.getOriginalMessage().contains("end-of-input");
            throw new UnreadableRecordException(cut ? CUT : "not JSON: " + noJson.getOriginalMessage(), noJson);
        } catch (IllegalArgumentException wrong) {
            throw new UnreadableRecordException(String.valueOf(wrong.getMessage()), wrong);
        }
    }
}
