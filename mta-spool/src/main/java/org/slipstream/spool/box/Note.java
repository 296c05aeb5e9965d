package org.slipstream.spool.box;

import org.slipstream.core.QueueId;

/// Something that the register knows of a letter and that the box notes, too, so that the box alone is enough: who has had
/// it, what is held, what has left. Notes speak in the order in which they lie.
///
/// @param number of the recipient; 0 where the whole message is meant
public record Note(What what, QueueId id, int number) {
    public enum What {
        FINISHED(1), DELIVERED(2), FAILED(3), REPORTED(4), HELD(5), RELEASED(6);

        final int code;

        What(int code) {
            this.code = code;
        }

        static What of(int code) throws DamagedLetterException {
            for (What what : values()) {
                if (what.code == code) {
                    return what;
                }
            }
            throw new DamagedLetterException("a note of unknown kind " + code);
        }
    }

    public Note(What what, QueueId id) {
        this(what, id, 0);
    }
}
