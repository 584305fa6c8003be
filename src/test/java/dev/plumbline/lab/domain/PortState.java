package dev.plumbline.lab.domain;

/** The state of a port of the lab. */
public enum PortState {
    OPEN,
    REFUSED,

    /** Accepts connections and does not send anything. */
    SILENT,

    /** Resets each connection after the first bytes. */
    RESETTING,

    /** Sends a TLS alert (handshake_failure) after the first bytes. */
    HANDSHAKE_FAILING
}
