package dev.plumbline.probe.tls;

import dev.plumbline.tls.SignatureHash;
import org.jspecify.annotations.Nullable;

/**
 * The optional features of a server. A feature is null if it does not exist in the supported versions, or if it could
 * not be determined.
 *
 * @param postQuantum whether a post-quantum key exchange group is accepted
 * @param extendedMasterSecret RFC 7627, before TLS 1.3
 * @param secureRenegotiation RFC 5746, before TLS 1.3
 * @param compression whether TLS compression is selected if it is offered
 * @param sessionTickets whether sessions are resumed with tickets (RFC 5077, RFC 8446 section 4.6.1)
 * @param keyExchangeHash the hash function of the signature in the ServerKeyExchange of TLS 1.2
 */
public record TlsFeatures(
        @Nullable Boolean postQuantum,
        @Nullable Boolean extendedMasterSecret,
        @Nullable Boolean secureRenegotiation,
        @Nullable Boolean compression,
        @Nullable Boolean sessionTickets,
        @Nullable SignatureHash keyExchangeHash) {}
