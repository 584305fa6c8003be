package dev.plumbline.probe.tls;

import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.TlsVersion;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The TLS features of a server.
 *
 * @param chosen the supported versions with the suite selected from all suites; not empty
 * @param accepted the accepted suites by version, in no particular order
 * @param groups codes of the accepted key exchange groups
 * @param primeBits the size of the DHE prime; 0 if there is none
 * @param staticKey an accepted suite without forward secrecy; null if there is none
 * @param alpn the accepted application protocols
 * @param alpnUnknown whether application protocols were not determined, because the server rejects the handshakes
 * @param prefersOrder whether the server uses its own cipher order; null if unknown
 * @param features the optional features
 * @param unknown the versions whose support could not be determined
 * @param unanswered the number of messages without a conclusive result
 * @param unasked the number of messages not sent because of the request limit
 */
public record TlsScanReport(
        Map<TlsVersion, CipherSuite> chosen,
        Map<TlsVersion, List<CipherSuite>> accepted,
        List<Integer> groups,
        int primeBits,
        @Nullable CipherSuite staticKey,
        List<String> alpn,
        boolean alpnUnknown,
        @Nullable Boolean prefersOrder,
        TlsFeatures features,
        Set<TlsVersion> unknown,
        int unanswered,
        int unasked) {}
