package dev.plumbline.probe.tls;

import dev.plumbline.tls.SignatureHash;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The optional features of a server. A feature is null if it does not exist in the supported versions, or if it could
 * not be determined.
 *
 * @param postQuantum whether a post-quantum key exchange group is accepted
 * @param extendedMasterSecret RFC 7627, before TLS 1.3
 * @param secureRenegotiation RFC 5746, before TLS 1.3
 * @param clientRenegotiation whether a client can start a renegotiation in TLS 1.2
 * @param earlyData whether 0-RTT data is permitted (RFC 8446 section 2.3)
 * @param compression whether TLS compression is selected if it is offered
 * @param fallbackScsv whether fallbacks to an earlier version are rejected (RFC 7507)
 * @param sessionTickets whether sessions are resumed with tickets (RFC 5077, RFC 8446 section 4.6.1)
 * @param keyExchangeHash the weakest hash function of signatures in the ServerKeyExchange of TLS 1.2
 * @param preferredHash the hash function of that signature if the client offers all, SHA-2 first
 * @param reasons why a feature could not be determined, by the name of its field, if it is not for a missing response
 *     to a test of a version
 */
public record TlsFeatures(
        @Nullable Boolean postQuantum,
        @Nullable Boolean extendedMasterSecret,
        @Nullable Boolean secureRenegotiation,
        @Nullable Boolean clientRenegotiation,
        @Nullable Boolean earlyData,
        @Nullable Boolean compression,
        @Nullable Boolean fallbackScsv,
        @Nullable Boolean sessionTickets,
        @Nullable SignatureHash keyExchangeHash,
        @Nullable SignatureHash preferredHash,
        Map<String, String> reasons) {}
