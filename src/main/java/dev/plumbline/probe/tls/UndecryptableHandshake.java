package dev.plumbline.probe.tls;

import com.google.common.base.Throwables;
import dev.plumbline.check.CheckFailure;
import javax.crypto.AEADBadTagException;

/**
 * A handshake failed because the engine of the JDK could not decrypt a message. Another handshake may succeed: before
 * JDK 26, the engine removes leading zeros of the shared secret of TLS 1.3 with a finite field group, and so derives
 * wrong keys in one of 256 handshakes (JDK-8328046).
 */
final class UndecryptableHandshake extends Exception {
    private final transient CheckFailure failure;

    UndecryptableHandshake(CheckFailure failure) {
        super(failure.getMessage(), null, false, false);
        this.failure = failure;
    }

    /** The failure if the handshake is not repeated. */
    CheckFailure failure() {
        return failure;
    }

    static boolean isCause(Throwable failure) {
        return Throwables.getCausalChain(failure).stream().anyMatch(AEADBadTagException.class::isInstance);
    }
}
