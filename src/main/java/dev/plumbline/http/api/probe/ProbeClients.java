package dev.plumbline.http.api.probe;

import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.target.Cidr;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;

/** The clients that can use {@code /probe} without an API key. */
public final class ProbeClients {
    private final ClientAddress clients;
    private final List<Cidr> allowed;

    /** @param allowed addresses and CIDR blocks */
    public ProbeClients(ClientAddress clients, List<String> allowed) {
        this.clients = clients;
        this.allowed = allowed.stream().map(Cidr::parse).toList();
    }

    /**
     * Whether a request is from an allowed client and does not contain an API key. A key in the request must be valid,
     * because an error in the configuration of the client is reported then.
     */
    public boolean isAllowedWithoutKey(HttpServerRequest request) {
        return !ApiKeyHandler.hasKey(request)
                && allowed.stream().anyMatch(network -> network.contains(clients.of(request)));
    }

    /** The name of the client without an API key in quotas. */
    String quotaKey(HttpServerRequest request) {
        return clients.quotaKey(request);
    }
}
