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
 * The questions about versions and cipher suites to one server. Whatever it accepts is taken out of
 * the next question, until it accepts nothing that is left. Lives on one event loop.
 */
final class CipherSuiteScan {
    private static final List<TlsVersion> OLDER =
            List.of(TlsVersion.TLS_1_2, TlsVersion.TLS_1_1, TlsVersion.TLS_1_0, TlsVersion.SSL_3);

    private final ClientHelloScheduler questions;
    private final KeyExchangeGroupScan groups;
    private final Map<TlsVersion, CipherSuite> chosen = new EnumMap<>(TlsVersion.class);
    private final Map<TlsVersion, Set<CipherSuite>> accepted = new EnumMap<>(TlsVersion.class);
    private int primeBits;

    CipherSuiteScan(ClientHelloScheduler questions, KeyExchangeGroupScan groups) {
        this.questions = questions;
        this.groups = groups;
    }

    /** The versions that the server speaks, and what it chose in each when all was offered. */
    Map<TlsVersion, CipherSuite> chosen() {
        return chosen;
    }

    boolean speaks(TlsVersion version) {
        return chosen.containsKey(version);
    }

    TlsVersion newest() {
        return Collections.max(chosen.keySet());
    }

    /** The newest version before TLS 1.3 that the server speaks, null for none. */
    @Nullable
    TlsVersion newestOlder() {
        return OLDER.stream().filter(chosen::containsKey).findFirst().orElse(null);
    }

    /** Whether the key that it used with what it chose is on a curve. */
    boolean keyOnCurve(TlsVersion version) {
        CipherSuite suite = chosen.get(version);
        return suite != null && suite.keyOnCurve();
    }

    /** Those of each version that it was seen to accept. */
    Map<TlsVersion, List<CipherSuite>> accepted() {
        Map<TlsVersion, List<CipherSuite>> suites = new EnumMap<>(TlsVersion.class);
        accepted.forEach((version, all) -> suites.put(version, List.copyOf(all)));
        return suites;
    }

    /** The shortest prime that it named for a key exchange, in bits; 0 for none. */
    int primeBits() {
        return primeBits;
    }

    /** One without forward secrecy that is not weak besides; null for none. */
    @Nullable
    CipherSuite staticKey() {
        return everySuite()
                .filter(suite -> suite.staticKey() && !suite.weak())
                .findFirst()
                .orElse(null);
    }

    private Stream<CipherSuite> everySuite() {
        return accepted.values().stream().flatMap(Set::stream);
    }

    /** Notes what the answer tells to a question in which everything of a version was offered. */
    void noteOpening(ClientHello hello, ServerHelloResult answer) {
        if (note(hello, answer)) {
            chosen.put(hello.version(), CipherSuite.of(answer.cipher()));
        }
    }

    /** Notes what an answer tells; whether the server has agreed. */
    boolean note(ClientHello asked, ServerHelloResult answer) {
        if (!ClientHelloScheduler.accepts(asked, answer)) {
            return false;
        }
        accepted.computeIfAbsent(asked.version(), none -> new LinkedHashSet<>()).add(CipherSuite.of(answer.cipher()));
        groups.note(answer.group());
        if (answer.primeBits() > 0) {
            primeBits = primeBits == 0 ? answer.primeBits() : Math.min(primeBits, answer.primeBits());
        }
        return true;
    }

    /** Finds one suite of each kind that there is something to say of. */
    Future<?> askForKinds() {
        Future<?> kinds = Future.succeededFuture();
        for (TlsVersion version : OLDER) {
            kinds = kinds.compose(done -> kinds(version));
        }
        return kinds;
    }

    /** What there is to say of a suite in findings; empty for nothing. */
    private static String kind(CipherSuite suite) {
        CipherWeakness weakness = suite.weakness();
        if (weakness != null) {
            return weakness.name();
        }
        return suite.dhe() ? "dhe" : suite.staticKey() ? "static" : "";
    }

    /** Finds one suite of each kind that no version was found to accept yet. */
    private Future<Void> kinds(TlsVersion version) {
        Set<String> found = everySuite().map(CipherSuiteScan::kind).collect(Collectors.toSet());
        found.add("");
        List<CipherSuite> left = CipherSuite.of(version).stream()
                .filter(suite -> !found.contains(kind(suite)))
                .toList();
        if (!chosen.containsKey(version) || left.isEmpty()) {
            return Future.succeededFuture();
        }
        ClientHello asked = questions.hello(version).withCiphers(codes(left));
        return questions
                .ask(asked, true)
                .compose(answer -> note(asked, answer) ? kinds(version) : Future.succeededFuture());
    }

    /** Finds the other suites of those kinds of weak ones that the server accepts. */
    Future<?> walkWeak() {
        Set<CipherWeakness> found =
                everySuite().map(CipherSuite::weakness).filter(Objects::nonNull).collect(Collectors.toSet());
        Future<?> walked = Future.succeededFuture();
        for (TlsVersion version : OLDER) {
            if (chosen.containsKey(version)) {
                walked = walked.compose(done -> {
                    Set<CipherSuite> known = everySuite().collect(Collectors.toSet());
                    return walkCiphers(
                            questions.hello(version),
                            CipherSuite.of(version).stream()
                                    .filter(suite -> found.contains(suite.weakness()))
                                    .filter(suite -> !known.contains(suite))
                                    .toList());
                });
            }
        }
        return walked;
    }

    /** Finds every suite, the weak ones first, for there may be more than connections. */
    Future<?> walk() {
        return walkParts(true).compose(done -> walkParts(false));
    }

    /** Finds every suite that is weak, or every one that is not. */
    private Future<?> walkParts(boolean weak) {
        List<Future<?>> asked = new ArrayList<>();
        for (TlsVersion version : chosen.keySet()) {
            for (List<CipherSuite> part : parts(version)) {
                if (part.get(0).weak() == weak) {
                    asked.add(walkCiphers(questions.hello(version), part));
                }
            }
        }
        return Future.join(asked);
    }

    /** Parts that can be walked side by side, as what is in one is never chosen for another. */
    private List<List<CipherSuite>> parts(TlsVersion version) {
        Set<CipherSuite> known = accepted.getOrDefault(version, Set.of());
        Map<String, List<CipherSuite>> parts = new LinkedHashMap<>();
        for (CipherSuite suite : CipherSuite.of(version)) {
            String kind = suite.weak() ? "weak" : suite.ecdhe() ? "ecdhe" : suite.dhe() ? "dhe" : "fixed";
            if (!known.contains(suite)) {
                parts.computeIfAbsent(kind, none -> new ArrayList<>()).add(suite);
            }
        }
        return List.copyOf(parts.values());
    }

    private Future<Void> walkCiphers(ClientHello hello, List<CipherSuite> left) {
        if (left.isEmpty()) {
            return Future.succeededFuture();
        }
        ClientHello asked = hello.withCiphers(codes(left));
        return questions
                .ask(asked, false)
                .compose(answer -> note(asked, answer)
                        ? walkCiphers(
                                hello,
                                left.stream()
                                        .filter(suite -> suite.code() != answer.cipher())
                                        .toList())
                        : Future.succeededFuture());
    }

    private static List<Integer> codes(List<CipherSuite> suites) {
        return suites.stream().map(CipherSuite::code).toList();
    }
}
