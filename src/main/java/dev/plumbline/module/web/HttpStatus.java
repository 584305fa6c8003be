package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectTrace;
import io.vertx.core.Future;
import java.util.List;

/** Which status a URL answers with, and where it leads. */
@AutoService(ModuleDefinition.class)
public final class HttpStatus implements ModuleDefinition<HttpStatus.Evidence> {
    private static final int BODY_BYTES = 64 * 1024;
    private static final int SEARCHED_BODY_BYTES = 512 * 1024;
    private static final String BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"
            + " Chrome/142.0.0.0 Safari/537.36";
    private static final String GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

    /**
     * What was seen.
     *
     * @param journeys one for each method that was tried, in order; the last one counts
     */
    public record Evidence(List<RedirectTrace> journeys) {
        public Evidence {
            journeys = List.copyOf(journeys);
        }
    }

    @Override
    public ModuleDescription description() {
        return HttpStatusDescription.DESCRIPTION;
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Options options = context.options();
        Target.Url url = (Target.Url) target;
        boolean searches = options.text("contains") != null;
        HttpRequestSpec get = dressed(HttpRequestSpec.get(url, searches ? SEARCHED_BODY_BYTES : BODY_BYTES), options);
        HttpRequestSpec head = dressed(HttpRequestSpec.head(url), options);
        int redirects = (int) options.integer("max_redirects");
        return switch (String.valueOf(options.text("method"))) {
            case "get" -> go(context, get, redirects).map(HttpStatus::evidence);
            case "head" -> go(context, head, redirects).map(HttpStatus::evidence);
            default ->
                searches
                        ? go(context, get, redirects).map(HttpStatus::evidence)
                        : headThenGet(context, head, get, redirects);
        };
    }

    @Override
    public Evaluation evaluate(Evidence evidence, Options options) {
        return new HttpStatusEvaluation(evidence.journeys(), options).judgement();
    }

    private static Future<Evidence> headThenGet(
            CheckContext context, HttpRequestSpec head, HttpRequestSpec get, int redirects) {
        // A server that keeps silent on HEAD must leave time for GET.
        Deadline whole = context.deadline();
        CheckContext half = context.within(whole.atMost(whole.remainingMillis() / 2));
        return go(half, head, redirects).compose(first -> {
            if (!refusesHead(first)) {
                return Future.succeededFuture(evidence(first));
            }
            int followed = redirectsFollowed(first);
            return go(context, get.to(first.url()), redirects - followed)
                    .map(second -> followed == 0 ? second : second.afterRedirect())
                    .map(second -> new Evidence(List.of(first, second)));
        });
    }

    private static Future<RedirectTrace> go(CheckContext context, HttpRequestSpec call, int redirects) {
        HttpProbe probe = context.probe(HttpProbe.class);
        if (context.options().flag("follow_redirects")) {
            return probe.follow(context, call, redirects);
        }
        return probe.exchange(context, call)
                .map(hop -> new RedirectTrace(List.of(hop), hop.url(), hop.bodyError()))
                .recover(failure -> failure instanceof CheckFailure known
                        ? Future.succeededFuture(new RedirectTrace(List.of(), call.url(), known.error()))
                        : Future.failedFuture(failure));
    }

    /** Whether a GET may well be answered differently from this HEAD. */
    static boolean refusesHead(RedirectTrace journey) {
        CheckError error = journey.error();
        if (error != null) {
            return error.code() == ErrorCode.CONNECTION_RESET
                    || error.code() == ErrorCode.HTTP_PROTOCOL_ERROR
                    || error.code() == ErrorCode.READ_TIMEOUT;
        }
        HttpExchange last = journey.last();
        if (last == null) {
            return false;
        }
        return switch (last.status()) {
            case 401, 407, 410, 429, 451 -> false;
            default -> last.status() >= 400;
        };
    }

    private static int redirectsFollowed(RedirectTrace journey) {
        HttpExchange last = journey.last();
        boolean unanswered = last != null && !last.url().equals(journey.url());
        return Math.max(0, journey.hops().size() - (unanswered ? 0 : 1));
    }

    private static HttpRequestSpec dressed(HttpRequestSpec call, Options options) {
        HttpRequestSpec verifying = call.verifyingTls(options.flag("verify_tls"));
        return switch (String.valueOf(options.text("user_agent"))) {
            case "browser" ->
                verifying
                        .with("user-agent", BROWSER)
                        .with("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
                        .with("accept-language", "en-US,en;q=0.9");
            case "googlebot" -> verifying.with("user-agent", GOOGLEBOT);
            default -> verifying;
        };
    }

    private static Evidence evidence(RedirectTrace journey) {
        return new Evidence(List.of(journey));
    }
}
