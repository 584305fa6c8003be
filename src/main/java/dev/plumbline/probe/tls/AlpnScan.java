package dev.plumbline.probe.tls;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The questions about application protocols to one server. Lives on one event loop. */
final class AlpnScan {
    static final List<String> ALL =
            List.of("h2", "http/1.1", "http/1.0", "spdy/3.1", "dot", "imap", "pop3", "xmpp-client");

    /** What browsers offer: the two that are asked for where only a whole handshake tells. */
    private static final List<String> OF_BROWSERS = List.of("h2", "http/1.1");

    private final ClientHelloScheduler questions;
    private final Set<String> known = new LinkedHashSet<>();

    AlpnScan(ClientHelloScheduler questions) {
        this.questions = questions;
    }

    List<String> known() {
        return List.copyOf(known);
    }

    /** Goes on from an answer, as long as each names one that is new. */
    Future<Void> walk(ClientHello hello, ServerHelloResult answer) {
        String name = answer.alpn();
        boolean another = name != null && ALL.contains(name) && known.add(name);
        List<String> left = ALL.stream().filter(each -> !known.contains(each)).toList();
        if (!another || left.isEmpty()) {
            return Future.succeededFuture();
        }
        ClientHello asked = hello.withAlpn(left);
        return questions
                .ask(asked, false)
                .compose(next ->
                        ClientHelloScheduler.accepts(asked, next) ? walk(hello, next) : Future.succeededFuture());
    }

    /** TLS 1.3 encrypts what it says of protocols, so only a whole handshake tells. */
    Future<?> askByHandshakes(TlsProbe handshakes) {
        List<Future<?>> asked = new ArrayList<>();
        for (String protocol : OF_BROWSERS) {
            asked.add(questions.speaks(handshakes, protocol).onSuccess(spoken -> {
                if (spoken) {
                    known.add(protocol);
                }
            }));
        }
        return Future.join(asked);
    }
}
