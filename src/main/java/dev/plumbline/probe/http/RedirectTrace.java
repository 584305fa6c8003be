package dev.plumbline.probe.http;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.CheckError;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A request and its redirects.
 *
 * @param hops the exchanges in order; empty if no response was received
 * @param url the URL of the last request, with or without response
 * @param error why the trace ended early; null if the last hop is the final response
 */
public record RedirectTrace(List<HttpExchange> hops, Target.Url url, @Nullable CheckError error) {

    public RedirectTrace {
        hops = List.copyOf(hops);
    }

    /** The trace of one request whose redirects are not followed; fails only for overload and internal errors. */
    public static Future<RedirectTrace> ofOne(HttpRequestSpec request, Future<HttpExchange> exchange) {
        return exchange.map(hop -> new RedirectTrace(List.of(hop), hop.url(), hop.bodyError()))
                .recover(CheckFailure.otherwise(error -> new RedirectTrace(List.of(), request.url(), error)));
    }

    /** The last exchange; fails with the error of the trace if there is none. */
    Future<HttpExchange> lastExchange() {
        HttpExchange last = last();
        return last == null
                ? Future.failedFuture(new CheckFailure(Objects.requireNonNull(error, "a trace has hops or an error")))
                : Future.succeededFuture(last);
    }

    /**
     * Returns this trace as part of a longer one: a blocked or invalid first target becomes {@code redirect_blocked}.
     */
    public RedirectTrace afterRedirect() {
        return error == null ? this : new RedirectTrace(hops, url, RedirectFollower.afterRedirect(error));
    }

    public int bodyBytes() {
        return hops.stream().mapToInt(hop -> hop.body().shared().length).sum();
    }

    /** Runs a parser of the bodies on the CPU pool, and then releases their memory. */
    public <T> Future<T> parseBodies(CheckContext context, Callable<T> parser) {
        return context.executeBlocking(parser).onComplete(parsed -> releaseBodies(context));
    }

    /**
     * This trace without the content of the bodies, whose memory the check releases. For evidence that was read from
     * them.
     */
    public RedirectTrace releaseBodies(CheckContext context) {
        context.memory().release(bodyBytes());
        return new RedirectTrace(hops.stream().map(HttpExchange::withoutContent).toList(), url, error);
    }

    /** The last exchange; null if there is none. */
    public @Nullable HttpExchange last() {
        return hops.isEmpty() ? null : hops.get(hops.size() - 1);
    }

    /** The final response after all redirects; null if there is none. */
    public @Nullable HttpExchange page() {
        HttpExchange last = last();
        return last == null || last.redirects() ? null : last;
    }

    /** The final response after all redirects; fails with the error of the trace or of the body. */
    public Future<HttpExchange> completePage() {
        HttpExchange page = page();
        CheckError reason = page == null ? error : page.bodyError();
        if (reason != null) {
            return Future.failedFuture(new CheckFailure(reason.code(), reason.message()));
        }
        return Future.succeededFuture(Objects.requireNonNull(page, "a trace without an error has a page"));
    }

    /** Whether a redirect leads from https to http. */
    public boolean downgraded() {
        for (int i = 0; i < hops.size(); i++) {
            boolean nextSecure = i + 1 < hops.size() ? hops.get(i + 1).url().secure() : url.secure();
            if (hops.get(i).url().secure() && !nextSecure) {
                return true;
            }
        }
        return false;
    }
}
