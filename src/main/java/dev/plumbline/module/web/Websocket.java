package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.probe.http.ResponseHeaders;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Opens a WebSocket, verifies the handshake and closes it. */
@AutoService(RegisteredModule.class)
public final class Websocket implements CheckModule<Websocket.Evidence, Websocket.Report, Websocket.Findings> {
    private static final String SUBPROTOCOLS = "subprotocols";
    private static final int KEY_BYTES = 16;

    /** Statuses of servers behind a proxy that sends HTTP/1.0 or removes the upgrade. */
    private static final Set<Integer> UPGRADE_UNSUPPORTED = Set.of(501, 505);

    private static final String NOT_SET = "not set";

    public record Report(
            boolean upgraded,
            @Nullable Integer status,
            @Nullable String subprotocol,
            List<String> extensions,
            long timeMs) {}

    public interface Findings extends FindingCollector {
        void acceptInvalid(String value, String expected);

        void upgradeInvalid(String upgrade, String connection);

        void subprotocolInvalid(String value);

        void extensionInvalid(String reason);

        void versionUnsupported(List<String> versions);

        void redirectNotFollowed(int status, String location);

        void rateLimited(int status, String retryAfter);

        void temporarilyUnavailable(int status, String retryAfter);

        void serverError(int status);

        void notUpgraded(int status);

        void authenticationRequired(int status);

        void forbidden();

        void unencrypted();

        void noSubprotocol(List<String> offered);
    }

    /**
     * @param key the Sec-WebSocket-Key of the request
     * @param trace without redirects
     * @param timeMs the duration until the response or the error
     * @param receivedAt when the response was received
     */
    public record Evidence(String key, RedirectTrace trace, long timeMs, Instant receivedAt) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Target.Url url = (Target.Url) target;
        byte[] nonce = new byte[KEY_BYTES];
        ThreadLocalRandom.current().nextBytes(nonce);
        String key = Base64.getEncoder().encodeToString(nonce);
        HttpRequestSpec request = HttpRequestSpec.webSocket(url, key)
                .with("origin", (url.secure() ? "https://" : "http://") + url.authority())
                .with("sec-websocket-extensions", WebSocketResponse.OFFERED_EXTENSIONS);
        List<String> subprotocols = context.options().list(SUBPROTOCOLS);
        HttpRequestSpec offer = subprotocols.isEmpty()
                ? request
                : request.with("sec-websocket-protocol", String.join(", ", subprotocols));
        long start = System.nanoTime();
        return context.probe(HttpProbe.class)
                .follow(context, offer, 0)
                .map(trace -> new Evidence(
                        key,
                        trace,
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
                        context.clock().instant()));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        HttpExchange response = evidence.trace().last();
        if (response == null) {
            findings.error(evidence.trace().error());
            return new Report(false, null, null, List.of(), evidence.timeMs());
        }
        List<String> offered = options.list(SUBPROTOCOLS);
        boolean switched = response.status() == 101;
        boolean upgraded = switched && isAccepted(response.headers(), evidence.key(), offered, findings);
        if (!switched) {
            evaluateRejection(response, evidence.receivedAt(), findings);
        }
        String subprotocol = switched ? response.headers().joined("sec-websocket-protocol") : null;
        if (!response.url().secure()) {
            findings.unencrypted();
        }
        return new Report(
                upgraded,
                response.status(),
                subprotocol,
                switched ? WebSocketResponse.extensions(response.headers()) : List.of(),
                evidence.timeMs());
    }

    /** Whether a client accepts the handshake. Reports each violation. */
    private static boolean isAccepted(ResponseHeaders headers, String key, List<String> offered, Findings findings) {
        boolean valid = true;
        String expected = WebSocketResponse.accept(key);
        String accept = headers.joined("sec-websocket-accept");
        if (accept == null || !accept.strip().equals(expected)) {
            findings.acceptInvalid(shown(accept), expected);
            valid = false;
        }
        if (!WebSocketResponse.confirmsUpgrade(headers)) {
            findings.upgradeInvalid(shown(headers.joined("upgrade")), shown(headers.joined("connection")));
            valid = false;
        }
        String subprotocol = headers.joined("sec-websocket-protocol");
        if (subprotocol == null && !offered.isEmpty()) {
            findings.noSubprotocol(offered);
            valid = false;
        } else if (subprotocol != null && !offered.contains(subprotocol.strip())) {
            findings.subprotocolInvalid(subprotocol);
            valid = false;
        }
        String extensionError = WebSocketResponse.extensionError(WebSocketResponse.extensions(headers));
        if (extensionError != null) {
            findings.extensionInvalid(extensionError);
            valid = false;
        }
        return valid;
    }

    private static String shown(@Nullable String value) {
        return value == null ? NOT_SET : value;
    }

    private static void evaluateRejection(HttpExchange response, Instant receivedAt, Findings findings) {
        List<String> versions = WebSocketResponse.otherVersions(response.headers());
        RetryAfter retryAfter = RetryAfter.of(response, receivedAt);
        if (retryAfter != null) {
            retryAfter.report(
                    response.status(),
                    findings,
                    value -> findings.rateLimited(response.status(), value),
                    value -> findings.temporarilyUnavailable(response.status(), value));
        } else if (response.redirects()) {
            findings.redirectNotFollowed(response.status(), response.location());
        } else if (response.status() == 401 || response.status() == 407) {
            findings.authenticationRequired(response.status());
        } else if (response.status() == 403) {
            findings.forbidden();
        } else if (!versions.isEmpty()) {
            findings.versionUnsupported(versions);
        } else if (response.status() >= 500 && !UPGRADE_UNSUPPORTED.contains(response.status())) {
            findings.serverError(response.status());
        } else {
            findings.notUpgraded(response.status());
        }
    }
}
