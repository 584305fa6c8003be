package dev.plumbline.probe.tls;

import dev.plumbline.tls.SignatureHash;
import dev.plumbline.tls.TlsVersion;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the optional features of a server. Confined to one event loop. */
final class FeatureScan {
    private final CipherSuiteScan suites;
    private final KeyExchangeGroupScan groups;

    FeatureScan(CipherSuiteScan suites, KeyExchangeGroupScan groups) {
        this.suites = suites;
        this.groups = groups;
    }

    /**
     * The features, after all tests.
     *
     * @param unknown the versions whose support could not be determined
     */
    TlsFeatures features(Set<TlsVersion> unknown) {
        TlsVersion older = suites.newestBeforeTls13();
        ServerHelloResult first = older == null ? null : suites.initial().get(older);
        ServerHelloResult.Features selected = first == null ? null : first.features();
        return new TlsFeatures(
                postQuantum(unknown),
                // SSL 3.0 does not have this extension
                selected == null || older == TlsVersion.SSL_3 ? null : (Boolean) selected.extendedMasterSecret(),
                selected == null ? null : (Boolean) selected.secureRenegotiation(),
                compression(unknown),
                selected == null ? null : (Boolean) selected.sessionTicket(),
                first == null ? null : SignatureHash.of(first.signature()));
    }

    private @Nullable Boolean postQuantum(Set<TlsVersion> unknown) {
        if (suites.supports(TlsVersion.TLS_1_3)) {
            return groups.postQuantum();
        }
        return unknown.contains(TlsVersion.TLS_1_3) ? null : (Boolean) false;
    }

    /** Whether a version uses TLS compression, which TLS 1.3 does not have; null if a version is unknown. */
    private @Nullable Boolean compression(Set<TlsVersion> unknown) {
        boolean selected = suites.initial().values().stream()
                .map(ServerHelloResult::features)
                .anyMatch(features -> features != null && features.compression());
        if (selected) {
            return true;
        }
        return unknown.stream().anyMatch(version -> version != TlsVersion.TLS_1_3) ? null : (Boolean) false;
    }
}
