package dev.plumbline.probe.tls;

import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.KeyExchangeGroup;
import dev.plumbline.tls.SignatureHash;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the optional features of a server. Confined to one event loop. */
final class FeatureScan {
    private static final int INAPPROPRIATE_FALLBACK = 86;

    /** The schemes with SHA-1, MD5 and SHA-224, for RSA, ECDSA and DSA. */
    private static final List<Integer> WEAK_SIGNATURES =
            List.of(0x0201, 0x0203, 0x0202, 0x0101, 0x0103, 0x0102, 0x0301, 0x0303, 0x0302);

    private final ClientHelloScheduler scheduler;
    private final CipherSuiteScan suites;
    private final KeyExchangeGroupScan groups;
    private final TlsScanProbes probes;

    /** The reasons why features were not determined. */
    private final Map<String, String> reasons = new LinkedHashMap<>();

    private @Nullable EncryptedMessages encrypted;
    private @Nullable Boolean fallbackScsv;
    private @Nullable Boolean clientRenegotiation;
    private @Nullable ClientHello weakSignatures;
    private @Nullable SignatureHash weakHash;

    FeatureScan(
            ClientHelloScheduler scheduler, CipherSuiteScan suites, KeyExchangeGroupScan groups, TlsScanProbes probes) {
        this.scheduler = scheduler;
        this.suites = suites;
        this.groups = groups;
        this.probes = probes;
    }

    /** Tests the features that the tests of versions do not show, except fallback protection. */
    Future<?> scan() {
        return Future.join(List.of(scanEncryptedMessages(), scanSignatures(), scanRenegotiation()));
    }

    private Future<?> scanEncryptedMessages() {
        return suites.supports(TlsVersion.TLS_1_3)
                ? scheduler.run(
                        probes.encryptedMessages()::read, this::record, reason -> reasons.put("early_data", reason))
                : Future.succeededFuture();
    }

    /** Tests whether the server signs with a weak hash function if the client does not offer another one. */
    private Future<?> scanSignatures() {
        if (!suites.supports(TlsVersion.TLS_1_2)) {
            return Future.succeededFuture();
        }
        List<Integer> signed = CipherSuite.of(TlsVersion.TLS_1_2).stream()
                .filter(suite -> (suite.ecdhe() || suite.dhe()) && !suite.weak())
                .map(CipherSuite::code)
                .toList();
        ClientHello offer =
                scheduler.hello(TlsVersion.TLS_1_2).withCiphers(signed).withSignatures(WEAK_SIGNATURES);
        weakSignatures = offer;
        return scheduler.send(offer, true).onSuccess(result -> {
            SignatureHash hash = SignatureHash.of(result.signature());
            // some servers use another scheme than the offered ones
            if (suites.record(offer, result) && hash != null && hash.compareTo(SignatureHash.SHA_256) < 0) {
                weakHash = hash;
            }
        });
    }

    /** Tests whether the server rejects a client that repeats a handshake with an earlier version (RFC 7507). */
    Future<?> scanFallback() {
        TlsVersion newest = suites.newest();
        TlsVersion next = suites.initial().keySet().stream()
                .filter(version -> version != newest)
                .max(Comparator.naturalOrder())
                .orElse(null);
        if (next == null) {
            return Future.succeededFuture();
        }
        ClientHello hello = scheduler.hello(next);
        List<Integer> ciphers = new ArrayList<>(hello.ciphers());
        ciphers.add(ClientHello.FALLBACK);
        return scheduler.send(hello.withCiphers(ciphers), false).onSuccess(result -> {
            if (result.alert() == INAPPROPRIATE_FALLBACK) {
                fallbackScsv = true;
            } else if (ClientHelloScheduler.accepts(hello, result)) {
                fallbackScsv = false;
            }
        });
    }

    private Future<?> scanRenegotiation() {
        TlsVersion older = suites.newestBeforeTls13();
        ServerHelloResult first = older == null ? null : suites.initial().get(older);
        if (first == null || first.features() == null) {
            return Future.succeededFuture();
        }
        if (older != TlsVersion.TLS_1_2) {
            reasons.put("client_renegotiation", "Only TLS 1.2 can be tested.");
            return Future.succeededFuture();
        }
        if (!first.features().secureRenegotiation()) {
            reasons.put("client_renegotiation", "Only secure renegotiation can be tested.");
            return Future.succeededFuture();
        }
        return scheduler.run(
                probes.renegotiation()::accepts,
                accepted -> clientRenegotiation = accepted,
                reason -> reasons.put("client_renegotiation", reason));
    }

    private void record(EncryptedMessages messages) {
        encrypted = messages;
        messages.groups().stream().filter(KeyExchangeGroup.TLS_1_3::contains).forEach(groups::record);
        if (earlyData() == null) {
            reasons.put(
                    "early_data",
                    "The server sent no session ticket, and did not end the connection with close_notify.");
        }
    }

    /** Whether a session ticket permits early data. Without a ticket, a client cannot send any. */
    private @Nullable Boolean earlyData() {
        EncryptedMessages messages = encrypted;
        if (messages == null) {
            return null;
        }
        return messages.earlyData() || messages.tickets() > 0 || messages.complete()
                ? (Boolean) messages.earlyData()
                : null;
    }

    private @Nullable Boolean ticketsOfTls13() {
        EncryptedMessages messages = encrypted;
        if (messages == null) {
            return null;
        }
        return messages.tickets() > 0 || messages.complete() ? (Boolean) (messages.tickets() > 0) : null;
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
                ofTls13(unknown, groups.postQuantum()),
                // SSL 3.0 does not have this extension
                selected == null || older == TlsVersion.SSL_3 ? null : (Boolean) selected.extendedMasterSecret(),
                selected == null ? null : (Boolean) selected.secureRenegotiation(),
                older == null && !isOlderUnknown(unknown) ? (Boolean) false : clientRenegotiation,
                ofTls13(unknown, earlyData()),
                compression(unknown),
                fallbackScsv,
                sessionTickets(selected, ofTls13(unknown, ticketsOfTls13())),
                first == null ? null : keyExchangeHash(first),
                first == null ? null : SignatureHash.of(first.signature()),
                Map.copyOf(reasons));
    }

    /** The weakest hash function that the server uses; null if this could not be determined. */
    private @Nullable SignatureHash keyExchangeHash(ServerHelloResult first) {
        if (weakHash != null) {
            return weakHash;
        }
        return weakSignatures == null || scheduler.isUndetermined(weakSignatures)
                ? null
                : SignatureHash.of(first.signature());
    }

    /** A feature of TLS 1.3 that a server without TLS 1.3 does not have. */
    private @Nullable Boolean ofTls13(Set<TlsVersion> unknown, @Nullable Boolean value) {
        if (suites.supports(TlsVersion.TLS_1_3)) {
            return value;
        }
        return unknown.contains(TlsVersion.TLS_1_3) ? null : (Boolean) false;
    }

    private static @Nullable Boolean sessionTickets(
            ServerHelloResult.@Nullable Features older, @Nullable Boolean tls13) {
        if (older == null) {
            return tls13;
        }
        return older.sessionTicket() ? (Boolean) true : tls13;
    }

    /** Whether a version uses TLS compression, which TLS 1.3 does not have; null if a version is unknown. */
    private @Nullable Boolean compression(Set<TlsVersion> unknown) {
        boolean selected = suites.initial().values().stream()
                .map(ServerHelloResult::features)
                .anyMatch(features -> features != null && features.compression());
        if (selected) {
            return true;
        }
        return isOlderUnknown(unknown) ? null : (Boolean) false;
    }

    private static boolean isOlderUnknown(Set<TlsVersion> unknown) {
        return unknown.stream().anyMatch(version -> version != TlsVersion.TLS_1_3);
    }
}
