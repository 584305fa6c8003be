package dev.plumbline.http;

import dev.plumbline.config.Config;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.util.concurrent.TimeUnit;

/** How the HTTP server is set up. */
public final class HttpServerSettings {
    public static final int REQUEST_LINE_BYTES = 32 * 1024;
    public static final int HEADER_BYTES = 16 * 1024;

    /**
     * More than a request line may have: of one that is too long the fields are read too, since they
     * say whether a person or a program asks.
     */
    private static final int READ_LINE_BYTES = 128 * 1024;

    /**
     * More than may come: of what is a little too large this side answers itself, of what is larger
     * the codec does, with an empty 431.
     */
    private static final int HTTP2_HEADER_LIST_BYTES = 64 * 1024;

    private HttpServerSettings() {}

    public static HttpServerOptions of(Config.HttpSettings config) {
        HttpServerOptions options = new HttpServerOptions()
                .setHost(config.host())
                .setPort(config.port())
                .setMaxInitialLineLength(READ_LINE_BYTES)
                .setMaxHeaderSize(HEADER_BYTES)
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout((int) config.idleTimeout().toMillis())
                .setAcceptBacklog(4096)
                .setInitialSettings(
                        new Http2Settings().setMaxConcurrentStreams(100).setMaxHeaderListSize(HTTP2_HEADER_LIST_BYTES))
                // there are no web sockets here, so no connection needs their handlers
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setTcpNoDelay(true);
        if (config.tlsCertificate() != null && config.tlsKey() != null) {
            options.setSsl(true)
                    .setUseAlpn(true)
                    .setKeyCertOptions(new PemKeyCertOptions()
                            .setCertPath(config.tlsCertificate().toString())
                            .setKeyPath(config.tlsKey().toString()));
        }
        return options;
    }
}
