package dev.plumbline.probe.tls;

import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.KeyExchangeGroup;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the key exchange groups that a server accepts. Confined to one event loop. */
final class KeyExchangeGroupScan {
    /** The curves that TLS 1.3 has too. The others are rare, and some are weak. */
    private static final List<Integer> COMMON = KeyExchangeGroup.CURVES.stream()
            .filter(KeyExchangeGroup.TLS_1_3::contains)
            .toList();

    /**
     * The groups of TLS 1.3 that the NCSC-NL guidelines (2025-05) do not classify as good or sufficient: ffdhe2048,
     * X25519Kyber768Draft00, and ML-KEM without a curve.
     */
    private static final List<Integer> WEAK_OF_TLS_1_3 = List.of(0x0100, 0x6399, 0x0201, 0x0202);

    private final ClientHelloScheduler scheduler;
    private final Set<Integer> accepted = new LinkedHashSet<>();
    private boolean rareRejected;
    private @Nullable ClientHello lastOffer;

    KeyExchangeGroupScan(ClientHelloScheduler scheduler) {
        this.scheduler = scheduler;
    }

    List<Integer> accepted() {
        return List.copyOf(accepted);
    }

    /**
     * Whether the server accepts a post-quantum group of TLS 1.3, which {@link #scan} has tested; null if it did not
     * respond.
     */
    @Nullable
    Boolean postQuantum() {
        if (accepted.stream().anyMatch(KeyExchangeGroup::postQuantum)) {
            return true;
        }
        return lastOffer == null || scheduler.isUndetermined(lastOffer) ? null : (Boolean) false;
    }

    void record(int group) {
        if (group >= 0) {
            accepted.add(group);
        }
    }

    /**
     * Finds out whether a version before TLS 1.3 accepts weak curves.
     *
     * @param ecdsa whether the server uses an ECDSA certificate: it may reject a client without the curve of its key
     *     (RFC 8422 section 5.1.1), so the common curves are appended if the offer without them is rejected
     */
    Future<?> scanWeak(TlsVersion version, boolean ecdsa) {
        ClientHello hello = curves(version);
        List<Integer> rare =
                hello.groups().stream().filter(group -> !COMMON.contains(group)).toList();
        return offerRare(hello, rare, ecdsa).compose(hit -> {
            rareRejected = !hit;
            boolean scanMore = hit && accepted.stream().noneMatch(KeyExchangeGroup::weak);
            List<Integer> weak = rare.stream().filter(KeyExchangeGroup::weak).toList();
            return scanMore ? offerRare(hello, weak, ecdsa) : Future.succeededFuture(hit);
        });
    }

    private Future<Boolean> offerRare(ClientHello hello, List<Integer> groups, boolean ecdsa) {
        return offerNew(hello, groups, List.of())
                .compose(hit -> hit || !ecdsa ? Future.succeededFuture(hit) : offerNew(hello, groups, COMMON));
    }

    /** Finds the groups of TLS 1.3 that are not recommended. */
    Future<Void> scanWeak(ClientHello hello) {
        List<Integer> untested = WEAK_OF_TLS_1_3.stream()
                .filter(group -> !accepted.contains(group))
                .toList();
        ClientHello offer = hello.withGroups(untested);
        return untested.isEmpty()
                ? Future.succeededFuture()
                : scheduler.send(offer, true).compose(result -> {
                    boolean hit = ClientHelloScheduler.accepts(offer, result) && untested.contains(result.group());
                    record(hit ? result.group() : -1);
                    return hit ? scanWeak(hello) : Future.succeededFuture();
                });
    }

    /** Finds all groups of TLS 1.3. */
    Future<Void> scan(ClientHello hello) {
        return offerNew(hello, hello.groups(), List.of()).compose(hit -> hit ? scan(hello) : Future.succeededFuture());
    }

    /** Finds all curves of a version before TLS 1.3. */
    Future<Void> scanCurves(TlsVersion version, boolean ecdsa) {
        ClientHello allCurves = curves(version);
        ClientHello hello = rareRejected ? allCurves.withGroups(COMMON) : allCurves;
        return ecdsa ? scan(hello).compose(done -> scanWithAcceptedLast(hello)) : scan(hello);
    }

    private Future<Void> scanWithAcceptedLast(ClientHello hello) {
        return offerNew(hello, hello.groups(), accepted())
                .compose(hit -> hit ? scanWithAcceptedLast(hello) : Future.succeededFuture());
    }

    /**
     * Offers the groups that are not known to be accepted.
     *
     * @param appended groups to offer after them
     * @return whether one of them was accepted
     */
    private Future<Boolean> offerNew(ClientHello hello, List<Integer> groups, List<Integer> appended) {
        List<Integer> untested =
                groups.stream().filter(group -> !accepted.contains(group)).toList();
        List<Integer> offered = new ArrayList<>(untested);
        appended.stream()
                .filter(group -> hello.groups().contains(group) && !untested.contains(group))
                .forEach(offered::add);
        ClientHello offer = hello.withGroups(offered);
        if (offer.version() == TlsVersion.TLS_1_3 && !untested.isEmpty()) {
            lastOffer = offer;
        }
        return untested.isEmpty()
                ? Future.succeededFuture(false)
                : scheduler.send(offer, true).map(result -> {
                    boolean hit = ClientHelloScheduler.accepts(offer, result) && offered.contains(result.group());
                    if (hit) {
                        record(result.group());
                    }
                    return hit && untested.contains(result.group());
                });
    }

    private ClientHello curves(TlsVersion version) {
        return scheduler
                .hello(version)
                .withCiphers(CipherSuite.of(version).stream()
                        .filter(CipherSuite::ecdhe)
                        .map(CipherSuite::code)
                        .toList());
    }
}
