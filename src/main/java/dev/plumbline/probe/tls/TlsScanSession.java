package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One scan of a server. Tests what findings depend on first, so that the request limit only shortens lists. Confined to
 * one event loop.
 */
final class TlsScanSession {
    private final ClientHelloScheduler scheduler;
    private final TlsScanProbes probes;
    private final TlsScanScope scope;
    private final KeyExchangeGroupScan groups;
    private final CipherSuiteScan suites;
    private final AlpnScan alpn;
    private final FeatureScan features;

    private final Map<TlsVersion, ClientHello> versionHellos = new EnumMap<>(TlsVersion.class);

    private boolean sameForReversedOrder;
    private @Nullable Boolean prefersOrder;

    TlsScanSession(ClientHelloScheduler scheduler, TlsScanProbes probes, TlsScanScope scope) {
        this.scheduler = scheduler;
        this.probes = probes;
        this.scope = scope;
        this.groups = new KeyExchangeGroupScan(scheduler);
        this.suites = new CipherSuiteScan(scheduler, groups);
        this.alpn = new AlpnScan(scheduler);
        this.features = new FeatureScan(scheduler, suites, groups, probes);
    }

    Future<TlsScanReport> scan() {
        return openVersion(TlsVersion.TLS_1_3)
                .compose(newest -> newest.kind() == ServerHelloResult.Kind.NOT_TLS
                        ? Future.failedFuture(newest.failure())
                        : openVersion(TlsVersion.TLS_1_2).compose(older -> versions(newest, older)))
                .compose(spoken -> scanForFindings())
                .compose(decided -> scanLists())
                .compose(listed -> scheduler.confirm(scheduler.hello(suites.newest())))
                .map(offers -> report());
    }

    /** Tests one of the first two versions; a failure fails the scan. */
    private Future<ServerHelloResult> openVersion(TlsVersion version) {
        ClientHello hello = scheduler.hello(version);
        versionHellos.put(version, hello);
        return scheduler.openHello(hello).onSuccess(result -> suites.recordInitial(hello, result));
    }

    private Future<Void> versions(ServerHelloResult newest, ServerHelloResult older) {
        boolean timedOut =
                newest.kind() == ServerHelloResult.Kind.SILENT && older.kind() == ServerHelloResult.Kind.SILENT;
        if (timedOut) {
            return Future.failedFuture(older.failure());
        }
        List<Future<ServerHelloResult>> offers = new ArrayList<>();
        for (TlsVersion version : List.of(TlsVersion.TLS_1_1, TlsVersion.TLS_1_0, TlsVersion.SSL_3)) {
            ClientHello hello = scheduler.hello(version);
            versionHellos.put(version, hello);
            offers.add(scheduler.send(hello, true).onSuccess(result -> suites.recordInitial(hello, result)));
        }
        return Future.join(offers)
                .compose(all -> suites.chosen().isEmpty()
                        ? Future.failedFuture(rejection(newest, older, offers))
                        : Future.succeededFuture());
    }

    /** A server rejects all versions only if it responded to all of them. */
    private static CheckFailure rejection(
            ServerHelloResult newest, ServerHelloResult older, List<Future<ServerHelloResult>> others) {
        return Stream.concat(Stream.of(newest, older), others.stream().map(Future::result))
                .filter(result -> result.kind() == ServerHelloResult.Kind.SILENT)
                .findFirst()
                .orElse(older)
                .failure();
    }

    /** Tests what findings depend on. */
    private Future<?> scanForFindings() {
        TlsVersion older = suites.newestBeforeTls13();
        ClientHello hello = scheduler.hello(older == null ? TlsVersion.TLS_1_3 : older);
        List<Future<?>> offers = new ArrayList<>();
        offers.add(features.scan());
        if (onlyProblems()) {
            offers.add(scanOnlyOrder(hello));
            if (suites.supports(TlsVersion.TLS_1_3)) {
                offers.add(groups.scanWeak(scheduler.hello(TlsVersion.TLS_1_3)));
            }
        } else {
            offers.add(features.scanFallback());
            offers.add(scanOrder(hello));
            if (older == null) {
                offers.add(alpn.scanByHandshakes(probes.handshakes()));
            }
        }
        if (older != null) {
            offers.add(groups.scanWeak(older, suites.ecdsa(older)));
            offers.add(suites.scanKinds());
        }
        return Future.join(offers);
    }

    private Future<?> scanLists() {
        TlsVersion older = suites.newestBeforeTls13();
        if (onlyProblems()) {
            return confirmOrder(older == null ? TlsVersion.TLS_1_3 : older);
        }
        List<Future<?>> offers = new ArrayList<>();
        Future<?> curves = Future.succeededFuture();
        if (suites.supports(TlsVersion.TLS_1_3)) {
            curves = groups.scan(scheduler.hello(TlsVersion.TLS_1_3));
            offers.add(curves);
        }
        offers.add(confirmOrder(older == null ? TlsVersion.TLS_1_3 : older));
        if (older != null) {
            // after the TLS 1.3 scan, whose groups are not offered again
            offers.add(curves.compose(done -> groups.scanCurves(older, suites.ecdsa(older))));
        }
        offers.add(scope == TlsScanScope.ALL_CIPHERS ? suites.scanAll() : suites.scanWeak());
        return Future.join(offers);
    }

    private boolean onlyProblems() {
        return scope == TlsScanScope.PROBLEMS;
    }

    private TlsScanReport report() {
        Set<TlsVersion> unknown = versionHellos.keySet().stream()
                .filter(version -> !suites.supports(version))
                .filter(version -> scheduler.isUndetermined(Objects.requireNonNull(versionHellos.get(version))))
                .collect(Collectors.toSet());
        return new TlsScanReport(
                suites.chosen(),
                suites.accepted(),
                groups.accepted(),
                suites.primeBits(),
                suites.staticKey(),
                alpn.accepted(),
                scheduler.alpnUnknown(),
                prefersOrder,
                features.features(unknown),
                unknown,
                scheduler.undetermined(),
                scheduler.skipped());
    }

    /**
     * Finds out whether the server uses its own cipher order: then it selects the same suite for the reversed offer.
     * Before TLS 1.3, the same message offers application protocols.
     */
    private Future<?> scanOrder(ClientHello hello) {
        if (hello.version() == TlsVersion.TLS_1_3) {
            return scanOnlyOrder(hello);
        }
        ClientHello offer = reversed(hello);
        ClientHello alpnOffer = offer.withAlpn(AlpnScan.ALL);
        return scheduler.send(alpnOffer, true).compose(result -> {
            if (ClientHelloScheduler.accepts(alpnOffer, result)) {
                recordOrder(offer, result);
                return alpn.scan(hello, result);
            }
            // it may support none of the protocols and reject the offer (RFC 7301 section 3.2)
            return scanOnlyOrder(hello);
        });
    }

    /** As {@link #scanOrder}, without application protocols. */
    private Future<Void> scanOnlyOrder(ClientHello hello) {
        ClientHello offer = reversed(hello);
        return scheduler
                .send(offer, true)
                .onSuccess(result -> recordOrder(offer, result))
                .mapEmpty();
    }

    private static ClientHello reversed(ClientHello hello) {
        List<Integer> reversed = new ArrayList<>(hello.ciphers());
        Collections.reverse(reversed);
        // some servers prefer ChaCha20 only if the client lists it first
        List<Integer> chaCha =
                reversed.stream().filter(code -> CipherSuite.of(code).chaCha()).toList();
        reversed.removeAll(chaCha);
        reversed.addAll(reversed.size() / 2, chaCha);
        return hello.withCiphers(reversed);
    }

    private void recordOrder(ClientHello reversed, ServerHelloResult result) {
        CipherSuite first = suites.chosen().get(reversed.version());
        if (first == null || !suites.record(reversed, result)) {
            return;
        }
        if (result.cipher() == first.code()) {
            sameForReversedOrder = true;
        } else {
            prefersOrder = false;
        }
    }

    /** Tests whether the server accepts a second suite; only then its order matters. */
    private Future<?> confirmOrder(TlsVersion version) {
        CipherSuite first = suites.chosen().get(version);
        if (first == null || !sameForReversedOrder) {
            return Future.succeededFuture();
        }
        if (suites.accepted().getOrDefault(version, List.of()).size() > 1) {
            prefersOrder = true;
            return Future.succeededFuture();
        }
        ClientHello hello = scheduler.hello(version);
        ClientHello rest = hello.withCiphers(
                hello.ciphers().stream().filter(code -> code != first.code()).toList());
        return scheduler.send(rest, true).onSuccess(other -> {
            if (suites.record(rest, other)) {
                prefersOrder = true;
            }
        });
    }
}
