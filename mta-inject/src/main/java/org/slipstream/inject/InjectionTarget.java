package org.slipstream.inject;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/// The server behind the port for injection. Called on the threads of requests, and on many threads for a mailing.
public interface InjectionTarget {
    /// The program with this token; empty when there is none with the right to send.
    Optional<InjectingProgram> program(String token) throws IOException;

    /// Stores a message as if the user of the program had submitted it.
    ///
    /// @param mark told before the message can be delivered
    /// @throws IOException of the content alone
    Submitted submit(InjectingProgram program, CallerAddress caller, MessageParts message, DurableMark mark)
            throws IOException;

    InjectionLimits limits();

    /// @param name of the token
    /// @param user whose rights and rates apply
    record InjectingProgram(String name, String user) {}

    /// @param tls the connection is encrypted
    record CallerAddress(InetAddress address, boolean tls) {}

    /// @param messageBytes the size limit of a message
    /// @param recipients of one message
    record InjectionLimits(long messageBytes, int recipients) {}

    /// @param smtpUtf8 the header or an address is not ASCII
    /// @param data a flat JSON object, or empty
    record MessageParts(Address sender, List<Address> recipients, boolean smtpUtf8, Optional<String> envelopeId,
            String data, MessageWriter content) {}

    @FunctionalInterface
    interface MessageWriter {
        void writeTo(OutputStream out) throws IOException;
    }

    /// Follows a message into the log.
    interface DurableMark {
        DurableMark NONE = new DurableMark() {
            @Override
            public void begins(QueueId id) {
                // Nothing is remembered.
            }

            @Override
            public void isStored() {
                // Nothing is remembered.
            }
        };

        /// Before anything is stored under this id.
        void begins(QueueId id) throws IOException;

        /// The message is durable, and the queue manager does not know it yet.
        void isStored();
    }

    /// @param recipient without a place in the message
    record RefusedAddress(Address recipient, Reply reply) {}

    /// The end of a message.
    sealed interface Submitted {
        /// It is durable.
        record Stored(QueueId id, Optional<String> messageId, List<RefusedAddress> refused) implements Submitted {}

        /// Nothing was stored.
        ///
        /// @param local the reason is this server, not the message
        record Rejected(Reply reply, boolean local, List<RefusedAddress> refused) implements Submitted {}
    }
}
