package dev.plumbline.probe.http;

import static dev.plumbline.result.ErrorCode.DEADLINE_EXCEEDED;
import static dev.plumbline.result.ErrorCode.INVALID_TARGET;
import static dev.plumbline.result.ErrorCode.READ_TIMEOUT;
import static dev.plumbline.result.ErrorCode.REDIRECT_BLOCKED;
import static dev.plumbline.result.ErrorCode.REDIRECT_LOOP;
import static dev.plumbline.result.ErrorCode.TARGET_BLOCKED;
import static dev.plumbline.result.ErrorCode.TOO_MANY_REDIRECTS;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows the redirects of one request. Each location is a target: it is parsed and checked by the policy and the
 * guard.
 */
final class RedirectFollower {
    private final HttpProbe probe;
    private final TargetPolicy policy;
    private final CheckContext context;
    private final int maxRedirects;
    private final List<HttpExchange> hops = new ArrayList<>();
    private final Set<String> requested = new HashSet<>();

    RedirectFollower(HttpProbe probe, TargetPolicy policy, CheckContext context, int maxRedirects) {
        this.probe = probe;
        this.policy = policy;
        this.context = context;
        this.maxRedirects = maxRedirects;
    }

    Future<RedirectTrace> request(HttpRequestSpec current) {
        requested.add(key(current));
        return probe.exchange(context, current.withoutRedirectBodies()).transform(result -> {
            if (result.succeeded()) {
                hops.add(result.result());
                return next(current, result.result());
            }
            if (result.cause() instanceof CheckFailure failure) {
                return ended(current.url(), errorOf(failure.error()));
            }
            return Future.failedFuture(result.cause());
        });
    }

    private Future<RedirectTrace> next(HttpRequestSpec current, HttpExchange hop) {
        if (!hop.redirects()) {
            return ended(current.url(), hop.bodyError());
        }
        if (hops.size() > maxRedirects) {
            return ended(current.url(), new CheckError(TOO_MANY_REDIRECTS, tooMany(maxRedirects)));
        }
        HttpRequestSpec nextRequest;
        try {
            nextRequest = nextRequest(current, hop);
        } catch (CheckFailure blocked) {
            return ended(current.url(), blocked.error());
        }
        if (requested.contains(key(nextRequest))) {
            return ended(
                    nextRequest.url(),
                    new CheckError(
                            REDIRECT_LOOP, "Redirect loop: " + nextRequest.url().text() + " was already requested."));
        }
        if (context.deadline().passed()) {
            return ended(nextRequest.url(), new CheckError(READ_TIMEOUT, "The redirects exceeded the time limit."));
        }
        return request(nextRequest);
    }

    private static String tooMany(int max) {
        return switch (max) {
            case 0 -> "The response is a redirect. Redirects are not followed.";
            case 1 -> "The URL redirects more than once.";
            default -> "The URL redirects more than " + max + " times.";
        };
    }

    private HttpRequestSpec nextRequest(HttpRequestSpec current, HttpExchange hop) throws CheckFailure {
        String location = Objects.requireNonNull(hop.headers().first("location"));
        String absolute = RedirectLocation.resolve(hop.url(), location);
        if (absolute == null) {
            throw blocked("The URL scheme is not http or https.");
        }
        Target.Url url;
        try {
            url = TargetParser.url(absolute, "https", "http");
        } catch (InvalidTargetException invalid) {
            throw blocked("The URL is not valid. " + invalid.getMessage());
        }
        String refusal = policy.refusal(url);
        if (refusal != null) {
            throw blocked(refusal);
        }
        return current.to(url);
    }

    private static CheckFailure blocked(String reason) {
        return new CheckFailure(REDIRECT_BLOCKED, "Redirect blocked. " + reason);
    }

    private CheckError errorOf(CheckError error) {
        if (error.code() == DEADLINE_EXCEEDED) {
            return new CheckError(READ_TIMEOUT, "The server did not respond in time.");
        }
        return hops.isEmpty() ? error : afterRedirect(error);
    }

    /**
     * The error after a redirect: a blocked or invalid target becomes {@code redirect_blocked}, an error, because its
     * response is unknown.
     */
    static CheckError afterRedirect(CheckError error) {
        ErrorCode code = error.code();
        return code == TARGET_BLOCKED || code == INVALID_TARGET
                ? new CheckError(REDIRECT_BLOCKED, "Redirect blocked. " + error.message())
                : error;
    }

    private Future<RedirectTrace> ended(Target.Url url, @Nullable CheckError error) {
        return Future.succeededFuture(new RedirectTrace(hops, url, error));
    }

    private static String key(HttpRequestSpec current) {
        return current.method() + " " + current.url().text();
    }
}
