package dev.plumbline.probe.tls;

import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.KeyExchangeGroup;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The questions about key exchange groups to one server. Lives on one event loop. */
final class KeyExchangeGroupScan {
    /** The curves of TLS 1.3 too. Those of before it alone are rare, and some are weak. */
    private static final List<Integer> COMMON = KeyExchangeGroup.CURVES.stream()
            .filter(KeyExchangeGroup.OF_TLS_1_3::contains)
            .toList();

    private final ClientHelloScheduler questions;
    private final Set<Integer> known = new LinkedHashSet<>();
    private boolean rareRefused;

    KeyExchangeGroupScan(ClientHelloScheduler questions) {
        this.questions = questions;
    }

    List<Integer> known() {
        return List.copyOf(known);
    }

    void note(int group) {
        if (group >= 0) {
            known.add(group);
        }
    }

    /**
     * Finds out whether a version before TLS 1.3 accepts weak curves.
     *
     * @param keyOnCurve whether the server's key is on a curve: such a server may refuse whoever does
     *     not offer that curve (RFC 8422, section 5.1.1), so the common ones are put last where
     *     leaving them out has told nothing
     */
    Future<?> askForWeak(TlsVersion version, boolean keyOnCurve) {
        ClientHello hello = curves(version);
        List<Integer> rare =
                hello.groups().stream().filter(group -> !COMMON.contains(group)).toList();
        return rare(hello, rare, keyOnCurve).compose(found -> {
            rareRefused = !found;
            boolean more = found && known.stream().noneMatch(KeyExchangeGroup::weak);
            List<Integer> weak = rare.stream().filter(KeyExchangeGroup::weak).toList();
            return more ? rare(hello, weak, keyOnCurve) : Future.succeededFuture(found);
        });
    }

    private Future<Boolean> rare(ClientHello hello, List<Integer> groups, boolean keyOnCurve) {
        return another(hello, groups, List.of())
                .compose(
                        found -> found || !keyOnCurve ? Future.succeededFuture(found) : another(hello, groups, COMMON));
    }

    /** Finds every group of TLS 1.3. */
    Future<Void> walk(ClientHello hello) {
        return another(hello, hello.groups(), List.of())
                .compose(found -> found ? walk(hello) : Future.succeededFuture());
    }

    /** Finds every curve of a version before TLS 1.3. */
    Future<Void> walkCurves(TlsVersion version, boolean keyOnCurve) {
        ClientHello every = curves(version);
        ClientHello hello = rareRefused ? every.withGroups(COMMON) : every;
        return keyOnCurve ? walk(hello).compose(done -> walkLast(hello)) : walk(hello);
    }

    private Future<Void> walkLast(ClientHello hello) {
        return another(hello, hello.groups(), known())
                .compose(found -> found ? walkLast(hello) : Future.succeededFuture());
    }

    /**
     * Offers those of some groups that are not known yet.
     *
     * @param last what to offer after them
     * @return whether one of them was accepted
     */
    private Future<Boolean> another(ClientHello hello, List<Integer> groups, List<Integer> last) {
        List<Integer> unknown =
                groups.stream().filter(group -> !known.contains(group)).toList();
        List<Integer> offered = new ArrayList<>(unknown);
        last.stream()
                .filter(group -> hello.groups().contains(group) && !unknown.contains(group))
                .forEach(offered::add);
        ClientHello asked = hello.withGroups(offered);
        return unknown.isEmpty()
                ? Future.succeededFuture(false)
                : questions.ask(asked, true).map(answer -> {
                    boolean agreed = ClientHelloScheduler.accepts(asked, answer) && offered.contains(answer.group());
                    if (agreed) {
                        note(answer.group());
                    }
                    return agreed && unknown.contains(answer.group());
                });
    }

    private ClientHello curves(TlsVersion version) {
        return questions
                .hello(version)
                .withCiphers(CipherSuite.of(version).stream()
                        .filter(CipherSuite::ecdhe)
                        .map(CipherSuite::code)
                        .toList());
    }
}
