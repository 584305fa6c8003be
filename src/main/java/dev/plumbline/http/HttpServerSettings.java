package dev.plumbline.http;

import dev.plumbline.config.Config;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.util.concurrent.TimeUnit;

/** The options of the HTTP server. */
public final class HttpServerSettings {
    /** The request line may contain a target of 2,048 percent-encoded bytes and 32 KiB in all. */
    private static final int REQUEST_LINE_BYTES = 32 * 1024;

    private static final int HEADER_BYTES = 16 * 1024;

    private HttpServerSettings() {}

    public static HttpServerOptions of(Config.HttpSettings config) {
        HttpServerOptions options = new HttpServerOptions()
                .setHost(config.host())
                .setPort(config.port())
                .setMaxInitialLineLength(REQUEST_LINE_BYTES)
                .setMaxHeaderSize(HEADER_BYTES)
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout((int) config.idleTimeout().toMillis())
                .setAcceptBacklog(4096)
                .setInitialSettings(new Http2Settings()
                        .setMaxConcurrentStreams(100)
                        .setMaxHeaderListSize(REQUEST_LINE_BYTES + HEADER_BYTES))
                // no WebSocket endpoint exists
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
