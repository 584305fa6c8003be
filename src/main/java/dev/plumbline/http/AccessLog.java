package dev.plumbline.http;

import dev.plumbline.config.Config;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.handler.HttpException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The access log ({@code log.access}): one line for each HTTP response. It contains the route instead of the path,
 * because paths and queries can contain keys, job tokens and credentials of targets.
 */
public final class AccessLog {
    /** The route of a request that matched no route. */
    public static final String NO_ROUTE = "none";

    private static final Logger LOG = LoggerFactory.getLogger(Config.LogSettings.ACCESS_LOGGER);

    private final boolean enabled;
    private final ClientAddress clients;

    public AccessLog(boolean enabled, ClientAddress clients) {
        this.enabled = enabled;
        this.clients = clients;
    }

    /**
     * Logs a response that was sent.
     *
     * @param route the path template of the operation or page, or {@link #NO_ROUTE}
     * @param nanos the time since the header of the request was received
     */
    public void log(HttpServerRequest request, String route, long nanos) {
        if (!enabled) {
            return;
        }
        HttpServerResponse response = request.response();
        String sent = response.headers().get(RequestId.HEADER);
        LOG.atInfo()
                .addKeyValue("method", request.method().name())
                .addKeyValue("route", route)
                .addKeyValue("status", response.getStatusCode())
                .addKeyValue("bytes", response.bytesWritten())
                .addKeyValue("duration_ms", TimeUnit.NANOSECONDS.toMicros(nanos) / 1000.0)
                .addKeyValue("client", client(request))
                .addKeyValue("complete", response.ended())
                .addKeyValue("request_id", sent == null ? RequestId.of(request) : sent)
                .log("request completed");
    }

    private String client(HttpServerRequest request) {
        try {
            return clients.of(request).getHostAddress();
        } catch (HttpException malformed) {
            return request.remoteAddress() == null
                    ? "unknown"
                    : request.remoteAddress().hostAddress();
        }
    }
}
