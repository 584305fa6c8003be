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
 * What a server offers those who speak TLS with it.
 *
 * @param ip the address that was asked
 * @param chosen the versions that it speaks, and the suite that it chose in each of all that there
 *     are; not empty
 * @param accepted the suites that it is known to accept, by version, in no order
 * @param everyCipher whether every suite was asked for, rather than the weak ones alone
 * @param groups numbers of the key exchange groups that it accepts
 * @param primeBits the size of its own Diffie-Hellman prime, 0 where it shows none
 * @param staticKey a suite without forward secrecy that it accepts, null for none
 * @param alpn the application protocols that it accepts
 * @param prefersOrder whether it chooses by its own order, null where there is nothing to choose
 * @param unknown the versions of which no answer tells whether it speaks them
 * @param unanswered how many questions got no answer, those about versions among them
 * @param unasked how many questions were not put as the check may make no more requests
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
