package dev.plumbline.ops;

import dev.plumbline.config.Config;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;

/**
 * Sends {@code OPTIONS *} (RFC 9110, 9.3.7) to the HTTP server of this node. A listening socket is not enough: the kernel
 * accepts connections before the server does.
 */
public final class HttpSelfProbe {
    private final HttpClient client;
    private final RequestOptions request;

    public HttpSelfProbe(Vertx vertx, Config.HttpSettings config) {
        // only this service listens at the address, so the certificate is not verified
        client = vertx.createHttpClient(new HttpClientOptions()
                .setKeepAlive(false)
                .setSsl(config.tlsCertificate() != null)
                .setTrustAll(true)
                .setVerifyHost(false));
        request = new RequestOptions()
                .setMethod(HttpMethod.OPTIONS)
                .setHost(connectHost(config.host()))
                .setPort(config.port())
                .setURI("*")
                .setConnectTimeout(HealthCheck.TIMEOUT_MS)
                .setTimeout(HealthCheck.TIMEOUT_MS);
    }

    private static String connectHost(String listenHost) {
        return switch (listenHost) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::" -> "::1";
            default -> listenHost;
        };
    }

    /** Returns whether the server sends a response, with any status. Does not fail. */
    Future<Boolean> responds() {
        return client.request(request)
                .compose(sent -> sent.send())
                .map(true)
                .otherwise(false);
    }
}
