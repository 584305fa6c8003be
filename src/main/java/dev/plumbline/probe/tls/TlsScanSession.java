package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.IpAddressText;
import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All the questions to one server. What findings rest on is asked first, so that only lists are
 * left short where the check may ask no more. Lives on one event loop.
 */
final class TlsScanSession {
    private final ClientHelloScheduler questions;
    private final TlsProbe handshakes;
    private final boolean everyCipher;
    private final KeyExchangeGroupScan groups;
    private final CipherSuiteScan suites;
    private final AlpnScan alpn;

    /** The questions about versions. */
    private final Map<TlsVersion, ClientHello> openings = new EnumMap<>(TlsVersion.class);

    private boolean sameInEveryOrder;
    private @Nullable Boolean prefersOrder;

    /**
     * @param everyCipher whether every suite is asked for, rather than the weak ones alone
     */
    TlsScanSession(ClientHelloScheduler questions, TlsProbe handshakes, boolean everyCipher) {
        this.questions = questions;
        this.handshakes = handshakes;
        this.everyCipher = everyCipher;
        this.groups = new KeyExchangeGroupScan(questions);
        this.suites = new CipherSuiteScan(questions, groups);
        this.alpn = new AlpnScan(questions);
    }

    Future<TlsScanReport> offer() {
        return opening(TlsVersion.TLS_1_3)
                .compose(newest -> newest.kind() == ServerHelloResult.Kind.NOT_TLS
                        ? Future.failedFuture(newest.failure())
                        : opening(TlsVersion.TLS_1_2).compose(older -> versions(newest, older)))
                .compose(spoken -> deciding())
                .compose(decided -> lists())
                .compose(listed -> questions.settle(questions.hello(suites.newest())))
                .map(asked -> told());
    }

    /** One of the first two questions, of which a failure means that nothing can be learnt. */
    private Future<ServerHelloResult> opening(TlsVersion version) {
        ClientHello hello = questions.hello(version);
        openings.put(version, hello);
        return questions.open(hello).onSuccess(answer -> suites.noteOpening(hello, answer));
    }

    private Future<Void> versions(ServerHelloResult newest, ServerHelloResult older) {
        boolean silent =
                newest.kind() == ServerHelloResult.Kind.SILENT && older.kind() == ServerHelloResult.Kind.SILENT;
        if (silent) {
            return Future.failedFuture(older.failure());
        }
        List<Future<ServerHelloResult>> asked = new ArrayList<>();
        for (TlsVersion version : List.of(TlsVersion.TLS_1_1, TlsVersion.TLS_1_0, TlsVersion.SSL_3)) {
            ClientHello hello = questions.hello(version);
            openings.put(version, hello);
            asked.add(questions.ask(hello, true).onSuccess(answer -> suites.noteOpening(hello, answer)));
        }
        return Future.join(asked)
                .compose(all -> suites.chosen().isEmpty()
                        ? Future.failedFuture(refusal(newest, older, asked))
                        : Future.succeededFuture());
    }

    /** That a server refuses every version can be said only where it has answered every time. */
    private static CheckFailure refusal(
            ServerHelloResult newest, ServerHelloResult older, List<Future<ServerHelloResult>> others) {
        return Stream.concat(Stream.of(newest, older), others.stream().map(Future::result))
                .filter(answer -> answer.kind() == ServerHelloResult.Kind.SILENT)
                .findFirst()
                .orElse(older)
                .failure();
    }

    /** Asks for what findings rest on. */
    private Future<?> deciding() {
        TlsVersion older = suites.newestOlder();
        ClientHello hello = questions.hello(older == null ? TlsVersion.TLS_1_3 : older);
        List<Future<?>> asked = new ArrayList<>();
        asked.add(preference(hello));
        if (older == null) {
            asked.add(alpn.askByHandshakes(handshakes));
        } else {
            asked.add(groups.askForWeak(older, suites.keyOnCurve(older)));
            asked.add(suites.askForKinds());
        }
        return Future.join(asked);
    }

    /** Asks for the rest of what is shown. */
    private Future<?> lists() {
        List<Future<?>> asked = new ArrayList<>();
        Future<?> curves = Future.succeededFuture();
        if (suites.speaks(TlsVersion.TLS_1_3)) {
            curves = groups.walk(questions.hello(TlsVersion.TLS_1_3));
            asked.add(curves);
        }
        TlsVersion older = suites.newestOlder();
        asked.add(choice(older == null ? TlsVersion.TLS_1_3 : older));
        if (older != null) {
            // what the one has told is not asked for again
            asked.add(curves.compose(done -> groups.walkCurves(older, suites.keyOnCurve(older))));
        }
        asked.add(everyCipher ? suites.walk() : suites.walkWeak());
        return Future.join(asked);
    }

    private TlsScanReport told() {
        return new TlsScanReport(
                IpAddressText.format(questions.peer().address()),
                suites.chosen(),
                suites.accepted(),
                everyCipher,
                groups.known(),
                suites.primeBits(),
                suites.staticKey(),
                alpn.known(),
                prefersOrder,
                openings.keySet().stream()
                        .filter(version -> !suites.speaks(version))
                        .filter(version -> questions.isOpen(Objects.requireNonNull(openings.get(version))))
                        .collect(Collectors.toSet()),
                questions.unanswered(),
                questions.unasked());
    }

    /**
     * Who gets the same from us however we order it goes by an order of his own. Before TLS 1.3 the
     * same question asks for protocols.
     */
    private Future<?> preference(ClientHello hello) {
        List<Integer> reversed = new ArrayList<>(hello.ciphers());
        Collections.reverse(reversed);
        // some servers let those have ChaCha20 who name it first, and go by their own order else
        List<Integer> fast =
                reversed.stream().filter(code -> CipherSuite.of(code).chaCha()).toList();
        reversed.removeAll(fast);
        reversed.addAll(reversed.size() / 2, fast);
        ClientHello asked = hello.withCiphers(reversed);
        if (hello.version() == TlsVersion.TLS_1_3) {
            return questions.ask(asked, true).onSuccess(answer -> order(asked, answer));
        }
        ClientHello both = asked.withAlpn(AlpnScan.ALL);
        return questions.ask(both, true).compose(answer -> {
            if (ClientHelloScheduler.accepts(both, answer)) {
                order(asked, answer);
                return alpn.walk(hello, answer);
            }
            // it may speak none of them, and say so (RFC 7301, section 3.2)
            return questions
                    .ask(asked, true)
                    .onSuccess(again -> order(asked, again))
                    .mapEmpty();
        });
    }

    private void order(ClientHello reversed, ServerHelloResult answer) {
        CipherSuite first = suites.chosen().get(reversed.version());
        if (first == null || !suites.note(reversed, answer)) {
            return;
        }
        if (answer.cipher() == first.code()) {
            sameInEveryOrder = true;
        } else {
            prefersOrder = false;
        }
    }

    /** Whether there is another suite, for only then it is by choice that it is always the same. */
    private Future<?> choice(TlsVersion version) {
        CipherSuite first = suites.chosen().get(version);
        if (first == null || !sameInEveryOrder) {
            return Future.succeededFuture();
        }
        if (suites.accepted().getOrDefault(version, List.of()).size() > 1) {
            prefersOrder = true;
            return Future.succeededFuture();
        }
        ClientHello hello = questions.hello(version);
        ClientHello rest = hello.withCiphers(
                hello.ciphers().stream().filter(code -> code != first.code()).toList());
        return questions.ask(rest, true).onSuccess(other -> {
            if (suites.note(rest, other)) {
                prefersOrder = true;
            }
        });
    }
}
