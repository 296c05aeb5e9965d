package org.slipstream.local.program;

import java.util.Arrays;
import java.util.Optional;

/// The exit codes of programs that get mail, as `sysexits.h` of BSD names them, each with its status (RFC 3463). The
/// codes and their status are those of Postfix's `pipe`.
enum ExitCode {
    USAGE(64, "5.3.5", "it was called with wrong arguments"), DATAERR(65, "5.6.0",
            "the data of the message is wrong"), NOINPUT(66, "5.3.0", "it cannot open its input"), NOUSER(67, "5.1.1",
                    "the user is unknown"), NOHOST(68, "5.1.2", "the host is unknown"), UNAVAILABLE(69, "5.3.0",
                            "a service is not available"), SOFTWARE(70, "5.3.0", "it has an internal error"), OSERR(71,
                                    "4.3.0", "the system lacks a resource"), OSFILE(72, "5.3.0",
                                            "a file of the system is missing"), CANTCREAT(73, "5.2.0",
                                                    "it cannot create its output"), IOERR(74, "5.3.0",
                                                            "it cannot read or write"), TEMPFAIL(75, "4.3.0",
                                                                    "the failure is temporary"), PROTOCOL(76, "5.5.0",
                                                                            "the other side broke the protocol"), NOPERM(
                                                                                    77, "5.7.0",
                                                                                    "permission is denied"), CONFIG(78,
                                                                                            "5.3.5",
                                                                                            "its configuration is wrong");

    private final int code;
    private final String status;
    private final String words;

    ExitCode(int code, String status, String words) {
        this.code = code;
        this.status = status;
        this.words = words;
    }

    static Optional<ExitCode> of(int code) {
        return Arrays.stream(values()).filter(each -> each.code == code).findFirst();
    }

    String status() {
        return status;
    }

    String words() {
        return words;
    }
}
