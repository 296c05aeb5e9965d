package org.slipstream.spool.index;

import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.RouteText;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Instructions;
import org.slipstream.spool.log.InstructionCodec;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalInt;

/// The columns of a message that hold the instructions of operators.
final class InstructionRows {
    static final String RETURN = "update message set ending = ?, ending_reason = ? where id = ?";
    static final String REROUTE = "update message set reroute = ? where id = ?";
    static final String HOLD = "update message set hold_author = ?, hold_millis = ?, hold_reason = ?,"
            + " state = case when state = 2 then state else ? end where id = ?";
    static final String PRIORITY = "update message set priority = ? where id = ?";

    private InstructionRows() {}

    static void fill(PreparedStatement change, QueueId id, Instruction instruction) throws SQLException {
        switch (instruction) {
            case Instruction.Return(Instruction.Cause cause, String reason) -> {
                change.setInt(1, InstructionCodec.code(cause));
                // PostgreSQL takes no NUL in a text.
                change.setString(2, reason.replace('\0', ' '));
                change.setLong(3, id.value());
            }
            case Instruction.Reroute(Optional<Route> route) -> {
                change.setString(1, route.map(RouteText::of).orElse(null));
                change.setLong(2, id.value());
            }
            case Instruction.Priority(int value) -> {
                change.setInt(1, value);
                change.setLong(2, id.value());
            }
            case Instruction.Hold(Optional<Instruction.HoldNote> note) -> {
                change.setString(1, note.map(by -> by.author().replace('\0', ' ')).orElse(null));
                change.setLong(2, note.map(Instruction.HoldNote::atMillis).orElse(0L));
                change.setString(3, note.map(by -> by.reason().replace('\0', ' ')).orElse(null));
                change.setInt(4, note.isPresent() ? MessageStatus.HELD : MessageStatus.QUEUED);
                change.setLong(5, id.value());
            }
        }
    }

    static Instructions read(ResultSet row) throws SQLException {
        int cause = row.getInt("ending");
        Optional<Instruction.Return> ending = row.wasNull()
                ? Optional.empty()
                : Optional.of(new Instruction.Return(InstructionCodec.cause(cause),
                        Optional.ofNullable(row.getString("ending_reason")).orElse("")));
        Optional<Route> route = InstructionCodec.route(Optional.ofNullable(row.getString("reroute")).orElse(""));
        OptionalInt priority = priority(row);
        Optional<Instruction.HoldNote> hold = hold(row);
        return ending.isEmpty() && route.isEmpty() && priority.isEmpty() && hold.isEmpty()
                ? Instructions.NONE
                : new Instructions(ending, route, priority, hold);
    }

    private static Optional<Instruction.HoldNote> hold(ResultSet row) throws SQLException {
        String author = row.getString("hold_author");
        return author == null
                ? Optional.empty()
                : Optional.of(new Instruction.HoldNote(author, row.getLong("hold_millis"),
                        Optional.ofNullable(row.getString("hold_reason")).orElse("")));
    }

    /// The options of the sender, with the priority that an operator set.
    static DeliveryOptions with(ResultSet row, DeliveryOptions options) throws SQLException {
        OptionalInt priority = priority(row);
        return priority.isEmpty() ? options : options.withPriority(priority.getAsInt());
    }

    private static OptionalInt priority(ResultSet row) throws SQLException {
        int priority = row.getInt("priority");
        return row.wasNull() ? OptionalInt.empty() : OptionalInt.of(priority);
    }
}
