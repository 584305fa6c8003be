package dev.plumbline.probe.tls;

import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.CipherWeakness;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the versions and cipher suites that a server accepts. Each accepted suite is removed from the next offer, until
 * the server accepts none. Confined to one event loop.
 */
final class CipherSuiteScan {
    private static final List<TlsVersion> OLDER =
            List.of(TlsVersion.TLS_1_2, TlsVersion.TLS_1_1, TlsVersion.TLS_1_0, TlsVersion.SSL_3);

    private final ClientHelloScheduler scheduler;
    private final KeyExchangeGroupScan groups;
    private final Map<TlsVersion, CipherSuite> chosen = new EnumMap<>(TlsVersion.class);
    private final Map<TlsVersion, ServerHelloResult> initial = new EnumMap<>(TlsVersion.class);
    private final Map<TlsVersion, Set<CipherSuite>> accepted = new EnumMap<>(TlsVersion.class);
    private int primeBits;

    CipherSuiteScan(ClientHelloScheduler scheduler, KeyExchangeGroupScan groups) {
        this.scheduler = scheduler;
        this.groups = groups;
    }

    /** The supported versions with the suite that the server selects from all suites. */
    Map<TlsVersion, CipherSuite> chosen() {
        return chosen;
    }

    /** The results of the offers of all suites, of the supported versions. */
    Map<TlsVersion, ServerHelloResult> initial() {
        return initial;
    }

    boolean supports(TlsVersion version) {
        return chosen.containsKey(version);
    }

    TlsVersion newest() {
        return Collections.max(chosen.keySet());
    }

    /** The newest supported version before TLS 1.3; null if there is none. */
    @Nullable
    TlsVersion newestBeforeTls13() {
        return OLDER.stream().filter(chosen::containsKey).findFirst().orElse(null);
    }

    /** Whether the suite selected for this version uses an ECDSA certificate. */
    boolean ecdsa(TlsVersion version) {
        CipherSuite suite = chosen.get(version);
        return suite != null && suite.ecdsa();
    }

    Map<TlsVersion, List<CipherSuite>> accepted() {
        Map<TlsVersion, List<CipherSuite>> suites = new EnumMap<>(TlsVersion.class);
        accepted.forEach((version, all) -> suites.put(version, List.copyOf(all)));
        return suites;
    }

    /** The smallest size of a DHE prime in bits; 0 if there is none. */
    int primeBits() {
        return primeBits;
    }

    /** An accepted suite without forward secrecy that is not weak otherwise; null if there is none. */
    @Nullable
    CipherSuite staticKey() {
        return acceptedSuites()
                .filter(suite -> suite.staticKey() && !suite.weak())
                .findFirst()
                .orElse(null);
    }

    private Stream<CipherSuite> acceptedSuites() {
        return accepted.values().stream().flatMap(Set::stream);
    }

    /** Records the result of an offer of all suites of a version. */
    void recordInitial(ClientHello hello, ServerHelloResult result) {
        if (record(hello, result)) {
            chosen.put(hello.version(), CipherSuite.of(result.cipher()));
            initial.put(hello.version(), result);
        }
    }

    /** Records the result of an offer. Returns whether the server accepted it. */
    boolean record(ClientHello offer, ServerHelloResult result) {
        if (!ClientHelloScheduler.accepts(offer, result)) {
            return false;
        }
        accepted.computeIfAbsent(offer.version(), none -> new LinkedHashSet<>()).add(CipherSuite.of(result.cipher()));
        groups.record(result.group());
        if (result.primeBits() > 0) {
            primeBits = primeBits == 0 ? result.primeBits() : Math.min(primeBits, result.primeBits());
        }
        return true;
    }

    /** Finds one accepted suite of each kind that a finding or a policy rejects. */
    Future<?> scanKinds() {
        Future<?> scans = Future.succeededFuture();
        for (TlsVersion version : OLDER) {
            scans = scans.compose(done -> scanKinds(version));
        }
        return scans;
    }

    /** The kind of a suite that a finding reports or a policy rejects; empty for none. */
    private static String kind(CipherSuite suite) {
        CipherWeakness weakness = suite.weakness();
        if (weakness != null) {
            return weakness.name();
        }
        if (suite.staticKey()) {
            return "static";
        }
        return (suite.dhe() ? "dhe" : "") + (suite.sha1Mac() ? "sha-1" : "");
    }

    /** Finds one suite of each kind without a known accepted suite. */
    private Future<Void> scanKinds(TlsVersion version) {
        Set<String> covered = acceptedSuites().map(suite -> kind(suite)).collect(Collectors.toSet());
        covered.add("");
        List<CipherSuite> remaining = CipherSuite.of(version).stream()
                .filter(suite -> !covered.contains(kind(suite)))
                .toList();
        if (!chosen.containsKey(version) || remaining.isEmpty()) {
            return Future.succeededFuture();
        }
        ClientHello offer = scheduler.hello(version).withCiphers(codes(remaining));
        return scheduler
                .send(offer, true)
                .compose(result -> record(offer, result) ? scanKinds(version) : Future.succeededFuture());
    }

    /** Finds the other accepted suites of the weak kinds found. */
    Future<?> scanWeak() {
        Set<CipherWeakness> weaknesses = acceptedSuites()
                .map(CipherSuite::weakness)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        Future<?> scans = Future.succeededFuture();
        for (TlsVersion version : OLDER) {
            if (chosen.containsKey(version)) {
                scans = scans.compose(done -> {
                    Set<CipherSuite> known = acceptedSuites().collect(Collectors.toSet());
                    return scanCiphers(
                            scheduler.hello(version),
                            CipherSuite.of(version).stream()
                                    .filter(suite -> weaknesses.contains(suite.weakness()))
                                    .filter(suite -> !known.contains(suite))
                                    .toList());
                });
            }
        }
        return scans;
    }

    /** Finds all suites, the weak ones first, because the connections are limited. */
    Future<?> scanAll() {
        return scanPartitions(true).compose(done -> scanPartitions(false));
    }

    /** Finds all weak suites, or all others. */
    private Future<?> scanPartitions(boolean weak) {
        List<Future<?>> scans = new ArrayList<>();
        for (TlsVersion version : chosen.keySet()) {
            for (List<CipherSuite> partition : partitions(version)) {
                if (partition.get(0).weak() == weak) {
                    scans.add(scanCiphers(scheduler.hello(version), partition));
                }
            }
        }
        return Future.join(scans);
    }

    /** Disjoint sets of suites that can be scanned concurrently. */
    private List<List<CipherSuite>> partitions(TlsVersion version) {
        Set<CipherSuite> known = accepted.getOrDefault(version, Set.of());
        Map<String, List<CipherSuite>> partitions = new LinkedHashMap<>();
        for (CipherSuite suite : CipherSuite.of(version)) {
            String kind = suite.weak() ? "weak" : suite.ecdhe() ? "ecdhe" : suite.dhe() ? "dhe" : "fixed";
            if (!known.contains(suite)) {
                partitions.computeIfAbsent(kind, none -> new ArrayList<>()).add(suite);
            }
        }
        return List.copyOf(partitions.values());
    }

    private Future<Void> scanCiphers(ClientHello hello, List<CipherSuite> remaining) {
        if (remaining.isEmpty()) {
            return Future.succeededFuture();
        }
        ClientHello offer = hello.withCiphers(codes(remaining));
        // The server may use a Diffie-Hellman group with anonymous suites only.
        boolean keyExchange = remaining.stream().anyMatch(suite -> suite.dhe() && suite.weak());
        return scheduler
                .send(offer, keyExchange)
                .compose(result -> record(offer, result)
                        ? scanCiphers(
                                hello,
                                remaining.stream()
                                        .filter(suite -> suite.code() != result.cipher())
                                        .toList())
                        : Future.succeededFuture());
    }

    private static List<Integer> codes(List<CipherSuite> suites) {
        return suites.stream().map(CipherSuite::code).toList();
    }
}
