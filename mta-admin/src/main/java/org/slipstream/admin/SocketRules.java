package org.slipstream.admin;

import jdk.net.ExtendedSocketOptions;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/// The rules of one socket of the API: who the caller of a request is.
///
/// The socket of the owner needs no token, because only the owner and root can open it. A token
/// lowers the rights there. The socket of the group needs one always.
record SocketRules(boolean ofOwner, Tokens tokens) {
    sealed interface Admission {
        record Admitted(ApiCaller caller) implements Admission {}

        record Refused(String why) implements Admission {}
    }

    /// @param user at the other end of the connection
    Admission admit(Optional<String> token, String user) throws IOException {
        if (token.isPresent()) {
            return tokens.find(token.get()).<Admission>map(Admission.Admitted::new)
                    .orElseGet(() -> new Admission.Refused("no such token (mta token list shows their names)"));
        }
        return ofOwner
                ? new Admission.Admitted(new ApiCaller(user, Right.ADMINISTRATE, false))
                : new Admission.Refused("this socket needs a token: --token-file FILE, or SLIPSTREAM_TOKEN");
    }

    /// The user of the process at the other end, as the kernel knows it.
    static String user(SocketChannel channel) {
        try {
            return channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
        } catch (IOException | UnsupportedOperationException unknown) {
            return "owner";
        }
    }
}
