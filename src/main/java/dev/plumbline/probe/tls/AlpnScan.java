package dev.plumbline.probe.tls;

import io.vertx.core.Future;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Finds the application protocols that a server accepts. Confined to one event loop. */
final class AlpnScan {
    static final List<String> ALL =
            List.of("h2", "http/1.1", "http/1.0", "spdy/3.1", "dot", "imap", "pop3", "xmpp-client");

    /** The protocols offered by browsers, which are tested by full handshakes. */
    private static final List<String> BROWSER_PROTOCOLS = List.of("h2", "http/1.1");

    private final ClientHelloScheduler scheduler;
    private final Set<String> accepted = new LinkedHashSet<>();

    AlpnScan(ClientHelloScheduler scheduler) {
        this.scheduler = scheduler;
    }

    List<String> accepted() {
        return List.copyOf(accepted);
    }

    /** Offers the remaining protocols as long as each result selects a new one. */
    Future<Void> scan(ClientHello hello, ServerHelloResult result) {
        String name = result.alpn();
        boolean isNew = name != null && ALL.contains(name) && accepted.add(name);
        List<String> remaining =
                ALL.stream().filter(each -> !accepted.contains(each)).toList();
        if (!isNew || remaining.isEmpty()) {
            return Future.succeededFuture();
        }
        ClientHello offer = hello.withAlpn(remaining);
        return scheduler
                .send(offer, false)
                .compose(next ->
                        ClientHelloScheduler.accepts(offer, next) ? scan(hello, next) : Future.succeededFuture());
    }

    /** TLS 1.3 encrypts the selected protocol, so a full handshake is needed. */
    Future<?> scanByHandshakes(TlsProbe handshakes) {
        return Future.join(BROWSER_PROTOCOLS.stream()
                .map(protocol -> scheduler.supportsAlpn(handshakes, protocol).onSuccess(supported -> {
                    if (supported) {
                        accepted.add(protocol);
                    }
                }))
                .toList());
    }
}
