package dev.plumbline.probe.tls;

import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.TlsVersion;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The TLS features of a server.
 *
 * @param ip the scanned address
 * @param chosen the supported versions with the suite selected from all suites; not empty
 * @param accepted the accepted suites by version, in no particular order
 * @param everyCipher whether all suites were tested, not only the weak ones
 * @param groups codes of the accepted key exchange groups
 * @param primeBits the size of the DHE prime; 0 if there is none
 * @param staticKey an accepted suite without forward secrecy; null if there is none
 * @param alpn the accepted application protocols
 * @param alpnUnknown whether application protocols were not determined, because the server rejects the handshakes
 * @param prefersOrder whether the server uses its own cipher order; null if unknown
 * @param unknown the versions whose support could not be determined
 * @param unanswered the number of messages without a conclusive result
 * @param unasked the number of messages not sent because of the request limit
 */
public record TlsScanReport(
        String ip,
        Map<TlsVersion, CipherSuite> chosen,
        Map<TlsVersion, List<CipherSuite>> accepted,
        boolean everyCipher,
        List<Integer> groups,
        int primeBits,
        @Nullable CipherSuite staticKey,
        List<String> alpn,
        boolean alpnUnknown,
        @Nullable Boolean prefersOrder,
        Set<TlsVersion> unknown,
        int unanswered,
        int unasked) {
    public TlsScanReport {
        chosen = Collections.unmodifiableMap(new EnumMap<>(chosen));
        Map<TlsVersion, List<CipherSuite>> copy = new EnumMap<>(TlsVersion.class);
        accepted.forEach((version, suites) -> copy.put(version, List.copyOf(suites)));
        accepted = Collections.unmodifiableMap(copy);
        groups = List.copyOf(groups);
        alpn = List.copyOf(alpn);
        unknown = Set.copyOf(unknown);
    }
}
