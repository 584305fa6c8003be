package dev.plumbline.http;

import dev.plumbline.config.Config;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.util.concurrent.TimeUnit;

/** The options of the HTTP server. */
public final class HttpServerSettings {
    public static final int REQUEST_LINE_BYTES = 32 * 1024;
    public static final int HEADER_BYTES = 16 * 1024;

    /**
     * Larger than {@link #REQUEST_LINE_BYTES}, so that the header of a request with a longer line can
     * be parsed; its Accept field selects the format of the problem.
     */
    private static final int READ_LINE_BYTES = 128 * 1024;

    /**
     * Larger than {@link #HEADER_BYTES}: headers up to this size get a problem document, larger ones
     * an empty 431 of the codec.
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
                // the service has no WebSockets
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
