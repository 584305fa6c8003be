package dev.plumbline.probe.http;

import static dev.plumbline.check.ErrorCode.DEADLINE_EXCEEDED;
import static dev.plumbline.check.ErrorCode.INVALID_TARGET;
import static dev.plumbline.check.ErrorCode.READ_TIMEOUT;
import static dev.plumbline.check.ErrorCode.REDIRECT_BLOCKED;
import static dev.plumbline.check.ErrorCode.REDIRECT_LOOP;
import static dev.plumbline.check.ErrorCode.TARGET_BLOCKED;
import static dev.plumbline.check.ErrorCode.TOO_MANY_REDIRECTS;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.InputType;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.check.TargetPolicy;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One walk along redirects. Every next URL is a target like any other: parsed, judged, guarded. */
final class RedirectFollower {
    private static final ModuleDescription NEXT =
            ModuleDescription.of("redirect", "Redirect", InputType.URL).build();

    private final HttpProbe probe;
    private final TargetPolicy policy;
    private final CheckContext context;
    private final int maxRedirects;
    private final List<HttpExchange> hops = new ArrayList<>();
    private final Set<String> asked = new HashSet<>();

    RedirectFollower(HttpProbe probe, TargetPolicy policy, CheckContext context, int maxRedirects) {
        this.probe = probe;
        this.policy = policy;
        this.context = context;
        this.maxRedirects = maxRedirects;
    }

    Future<RedirectTrace> from(HttpRequestSpec call) {
        asked.add(key(call));
        return probe.exchange(context, call.withoutRedirectBodies()).transform(result -> {
            if (result.succeeded()) {
                hops.add(result.result());
                return next(call, result.result());
            }
            if (result.cause() instanceof CheckFailure failure) {
                return ended(call.url(), duringWalk(failure.error()));
            }
            return Future.failedFuture(result.cause());
        });
    }

    private Future<RedirectTrace> next(HttpRequestSpec call, HttpExchange hop) {
        if (!hop.redirects()) {
            return ended(call.url(), hop.bodyError());
        }
        if (hops.size() > maxRedirects) {
            return ended(call.url(), new CheckError(TOO_MANY_REDIRECTS, tooMany(maxRedirects)));
        }
        HttpRequestSpec further;
        try {
            further = further(call, hop);
        } catch (CheckFailure blocked) {
            return ended(call.url(), blocked.error());
        }
        if (asked.contains(key(further))) {
            return ended(
                    further.url(),
                    new CheckError(
                            REDIRECT_LOOP, "Redirect loop: " + further.url().text() + " was already requested."));
        }
        if (context.deadline().passed()) {
            return ended(further.url(), new CheckError(READ_TIMEOUT, "The redirects exceeded the time limit."));
        }
        return from(further);
    }

    private static String tooMany(int max) {
        return switch (max) {
            case 0 -> "The response is a redirect. Redirects are not followed.";
            case 1 -> "The URL redirects more than once.";
            default -> "The URL redirects more than " + max + " times.";
        };
    }

    private HttpRequestSpec further(HttpRequestSpec call, HttpExchange hop) throws CheckFailure {
        String location = Objects.requireNonNull(hop.headers().first("location"));
        String absolute = RedirectLocation.resolve(hop.url(), location);
        if (absolute == null) {
            throw blocked("The URL scheme is not http or https.");
        }
        Target.Url url;
        try {
            if (!(TargetParser.parse(NEXT, absolute) instanceof Target.Url parsed)) {
                throw blocked("The Location header is not a URL.");
            }
            url = parsed;
        } catch (InvalidTargetException invalid) {
            throw blocked("The URL is not valid. " + invalid.getMessage());
        }
        String refusal = policy.refusal(url);
        if (refusal != null) {
            throw blocked(refusal);
        }
        return call.to(url);
    }

    private static CheckFailure blocked(String why) {
        return new CheckFailure(REDIRECT_BLOCKED, "Redirect blocked. " + why);
    }

    private CheckError duringWalk(CheckError error) {
        if (error.code() == DEADLINE_EXCEEDED) {
            return new CheckError(READ_TIMEOUT, "The server did not respond in time.");
        }
        return hops.isEmpty() ? error : afterRedirect(error);
    }

    /** What is forbidden at the end of a redirect is the redirect's fault, not the target's. */
    static CheckError afterRedirect(CheckError error) {
        ErrorCode code = error.code();
        return code == TARGET_BLOCKED || code == INVALID_TARGET
                ? new CheckError(REDIRECT_BLOCKED, "Redirect blocked. " + error.message())
                : error;
    }

    private Future<RedirectTrace> ended(Target.Url url, @Nullable CheckError error) {
        return Future.succeededFuture(new RedirectTrace(hops, url, error));
    }

    private static String key(HttpRequestSpec call) {
        return call.method() + " " + call.url().text();
    }
}
