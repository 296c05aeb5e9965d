package org.slipstream.spool.index;

import org.slipstream.core.Recipient;
import org.slipstream.spool.log.EnvelopeCodec;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Gives recipients rows of their own when the index has to store something about one of them.
///
/// Nearly all mail is delivered at its first attempt and needs no recipient rows: the message's row
/// holds the envelope and is deleted with it. Each additional row would be inserted into three
/// trees and deleted from them a moment later.
final class RecipientRows {
    private final Connection connection;
    private final PreparedStatement select;
    private final PreparedStatement insert;
    private final PreparedStatement clear;
    private final Set<Long> touched = new LinkedHashSet<>();

    RecipientRows(Connection connection) throws SQLException {
        this.connection = connection;
        select = connection
                .prepareStatement("select id, envelope from message where id = any(?) and envelope is not null");
        insert = connection.prepareStatement("""
                insert into recipient (message_id, number, local_part, domain, domain_key, original, notify_bits, state,
                 at_millis) values (?, ?, ?, ?, ?, ?, ?, 0, 0)""");
        clear = connection.prepareStatement("update message set envelope = null where id = any(?)");
    }

    void touch(long id) {
        touched.add(id);
    }

    /// Creates the rows; the messages themselves have been sent.
    void send() throws SQLException {
        if (touched.isEmpty()) {
            return;
        }
        List<Long> expanded = new ArrayList<>();
        Array ids = connection.createArrayOf("bigint", touched.toArray());
        touched.clear();
        select.setArray(1, ids);
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                try {
                    insert(rows.getLong(1), Rows.decoded(rows.getBytes(2)).recipients());
                    expanded.add(rows.getLong(1));
                } catch (IllegalArgumentException e) {
                    // Damaged: it stays as it is, and the next reader sets it aside.
                    continue;
                }
            }
        }
        ids.free();
        if (!expanded.isEmpty()) {
            insert.executeBatch();
            Array done = connection.createArrayOf("bigint", expanded.toArray());
            clear.setArray(1, done);
            clear.executeUpdate();
            done.free();
        }
    }

    /// Creates the rows at once, for an envelope that is too large for the message's row.
    void enter(long id, List<Recipient> recipients) throws SQLException {
        insert(id, recipients);
        insert.executeBatch();
    }

    private void insert(long id, List<Recipient> recipients) throws SQLException {
        for (Recipient recipient : recipients) {
            insert.setLong(1, id);
            insert.setInt(2, recipient.number());
            insert.setString(3, recipient.address().localPart());
            insert.setString(4, recipient.address().domain());
            insert.setString(5, recipient.address().domainKey());
            insert.setString(6, recipient.original().orElse(null));
            insert.setInt(7, EnvelopeCodec.bits(recipient.notifyOn()));
            insert.addBatch();
        }
    }

    void forget() throws SQLException {
        touched.clear();
        insert.clearBatch();
    }
}
