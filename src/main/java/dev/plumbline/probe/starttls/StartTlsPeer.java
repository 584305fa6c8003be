package dev.plumbline.probe.starttls;

import dev.plumbline.probe.tls.TlsPeer;
import dev.plumbline.result.CheckError;
import org.jspecify.annotations.Nullable;

/**
 * The data of a STARTTLS dialog and the handshake after it.
 *
 * @param outcome how the dialog ended
 * @param response the response of the server that ended the dialog; empty if there is none
 * @param banner the greeting; null if it was not received or the protocol does not have one
 * @param offered whether the server supports STARTTLS; null if unknown
 * @param plaintextAfterCommand whether the server sent data that is not TLS after its response to the command. The data
 *     was discarded.
 * @param peer the data of the handshake; null if no certificate was received
 * @param error why no certificate was received; null if one was
 */
public record StartTlsPeer(
        Outcome outcome,
        String response,
        @Nullable String banner,
        @Nullable Boolean offered,
        boolean plaintextAfterCommand,
        @Nullable TlsPeer peer,
        @Nullable CheckError error) {

    /** The end of a dialog. */
    public enum Outcome {
        /** The server accepted the command. */
        ACCEPTED,
        /** The server does not support the command. */
        NOT_OFFERED,
        /** The server supports the command and rejected it. */
        REFUSED,
        /** The server rejected the connection or an earlier command. */
        REJECTED,
        /** The response does not belong to the protocol. */
        OTHER_PROTOCOL,
        /** The connection was closed, or a limit was exceeded. */
        INCOMPLETE
    }
}
