package dev.plumbline.http.api.probe;

import dev.plumbline.account.Scope;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.RateLimitHeaders;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.instant.InstantRequest;
import dev.plumbline.ops.MetricsFormat;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.ResultJson;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import dev.plumbline.sheet.Options;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /probe}: a check whose result is returned as Prometheus metrics. Requires an API key with the scope
 * {@code probe}, or an address that the operator allows. If the check has no result because of this service, the
 * response is a problem of status 503, so that {@code up} is 0 and nothing is stated about the target.
 */
public final class ProbeOperation {
    /** The path of the operation. */
    public static final String PATH = "/probe";

    private static final String MODULE = "module";
    private static final String TARGET = "target";
    private static final String DEBUG = "debug";
    private static final Set<String> NOT_OPTIONS = notOptions();

    private static final String SCRAPE_TIMEOUT = "X-Prometheus-Scrape-Timeout-Seconds";

    /** The part of the scrape timeout that remains for the response, as in blackbox_exporter. */
    private static final long RESPONSE_MS = 500;

    private static final int RETRY_SECONDS = 5;

    /**
     * The errors that do not depend on the target. The errors of its resolution are not among them: they are usually
     * caused by the nameservers of the target, and blackbox_exporter reports them as a failed probe.
     */
    private static final Set<ErrorCode> NOT_MEASURED = EnumSet.of(
            ErrorCode.INTERNAL,
            ErrorCode.DEADLINE_EXCEEDED,
            ErrorCode.NOT_CONFIGURED,
            ErrorCode.RATE_LIMITED,
            ErrorCode.REQUEST_LIMIT,
            ErrorCode.REGISTRY_UNAVAILABLE);

    private static final ExpositionFormatWriter TEXT = PrometheusTextFormatWriter.create();
    private static final ExpositionFormatWriter OPEN_METRICS = OpenMetricsTextFormatWriter.create();

    private final InstantCheckService checks;
    private final PolicyService policies;
    private final ApiKeyHandler keys;
    private final ProbeClients clients;
    private final ModuleCatalogue modules;
    private final ProblemResponder problems;
    private final Clock clock;

    public ProbeOperation(
            InstantCheckService checks,
            PolicyService policies,
            ApiKeyHandler keys,
            ProbeClients clients,
            ModuleCatalogue modules,
            ProblemResponder problems,
            Clock clock) {
        this.checks = checks;
        this.policies = policies;
        this.keys = keys;
        this.clients = clients;
        this.modules = modules;
        this.problems = problems;
        this.clock = clock;
    }

    private static Set<String> notOptions() {
        Set<String> names = new HashSet<>(PolicyParameters.NAMES);
        names.addAll(Set.of(MODULE, TARGET, DEBUG));
        return Set.copyOf(names);
    }

    public ApiOperation operation() {
        return new ApiOperation("probe", this::handle);
    }

    private void handle(RoutingContext ctx) {
        HttpServerRequest request = ctx.request();
        if (clients.isAllowedWithoutKey(request)) {
            probe(ctx, InstantRequest.QuotaKey.probe(clients.quotaKey(request)));
        } else {
            keys.authenticate(ctx, Scope.PROBE, caller -> probe(ctx, InstantRequest.QuotaKey.probe(caller.keyId())));
        }
    }

    private void probe(RoutingContext ctx, InstantRequest.QuotaKey quotaKey) {
        String name = ctx.queryParams().get(MODULE);
        ModuleDescription module = modules.description(name);
        if (module == null) {
            problems.send(ctx, InstantCheckService.unknownModule(name));
            return;
        }
        List<Options.Fault> faults = new ArrayList<>();
        Map<String, String> options = InstantCheckService.options(ctx.queryParams(), NOT_OPTIONS, faults);
        if (!faults.isEmpty()) {
            problems.send(ctx, InstantCheckService.invalidOptions(faults));
            return;
        }
        Duration timeout = limitTimeout(ctx.request(), module, options);
        // before the check: an invalid expectation does not use the quota
        RequestFutures.handle(
                ctx,
                policies.evaluation(ctx, module, PolicyParameters.of(ctx.queryParams())),
                evaluation -> RequestFutures.handle(
                        ctx,
                        checks.check(ctx, name, ctx.queryParams().get(TARGET), options, quotaKey),
                        outcome -> respond(ctx, module, timeout, evaluation, outcome)));
    }

    /**
     * Limits the time of the check to that of the scrape.
     *
     * @param options receives the lower limit
     * @return the limit; zero if the options are not valid, which the check reports
     * @throws ProblemException 400 if the scrape timeout is not valid or too short for a check
     */
    private static Duration limitTimeout(
            HttpServerRequest request, ModuleDescription module, Map<String, String> options) {
        Options valid = Options.parse(module, options).options();
        if (valid == null) {
            return Duration.ZERO;
        }
        long timeoutMs = valid.integer(ModuleDescription.TIMEOUT_MS);
        String header = request.getHeader(SCRAPE_TIMEOUT);
        if (header != null) {
            OptionDescription option = Objects.requireNonNull(module.option(ModuleDescription.TIMEOUT_MS));
            long availableMs = scrapeTimeoutMs(header) - RESPONSE_MS;
            if (availableMs < option.min()) {
                throw new ProblemException(Problem.badRequest(
                        ("The header %s is %s. Set scrape_timeout to at least %.1f seconds: a check requires %d ms,"
                                        + " and the response %d ms.")
                                .formatted(
                                        SCRAPE_TIMEOUT,
                                        header,
                                        (option.min() + RESPONSE_MS) / 1000.0,
                                        option.min(),
                                        RESPONSE_MS)));
            }
            if (availableMs < timeoutMs) {
                timeoutMs = availableMs;
                options.put(ModuleDescription.TIMEOUT_MS, Long.toString(timeoutMs));
            }
        }
        return Duration.ofMillis(timeoutMs);
    }

    private static long scrapeTimeoutMs(String header) {
        if (!header.matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
            throw new ProblemException(
                    Problem.badRequest("The header " + SCRAPE_TIMEOUT + " is not a number of seconds."));
        }
        return (long) (Double.parseDouble(header) * 1000);
    }

    private void respond(
            RoutingContext ctx,
            ModuleDescription module,
            Duration timeout,
            @Nullable ResultEvaluation evaluation,
            InstantOutcome outcome) {
        if (outcome instanceof InstantOutcome.QuotaExceeded over) {
            InstantCheckService.setRateLimitHeaders(ctx, over);
            problems.send(ctx, quotaExceeded(over));
        } else if (outcome instanceof InstantOutcome.Completed completed) {
            byte[] stored = completed.result().result();
            RequestFutures.handle(
                    ctx,
                    evaluation == null ? Future.succeededFuture(stored) : evaluation.apply(stored),
                    result -> send(ctx, module, timeout, completed, result));
        } else {
            problems.send(ctx, InstantCheckService.problem(ctx, outcome));
        }
    }

    private static Problem quotaExceeded(InstantOutcome.QuotaExceeded over) {
        return RateLimitHeaders.exceeded(
                over.policy(),
                ("All %d fresh probes of the last 60 seconds have been used. %s Increase scrape_interval, or ask the"
                                + " operator to increase `limits.probes_per_minute`. Cached results are not counted.")
                        .formatted(
                                over.quota().limit(),
                                RateLimitHeaders.retry(over.quota().retryAfterSeconds())),
                over.quota().retryAfterSeconds());
    }

    /** @param json the result of the check after its evaluation */
    private void send(
            RoutingContext ctx,
            ModuleDescription module,
            Duration timeout,
            InstantOutcome.Completed completed,
            byte[] json) {
        CheckResult result = ResultJson.read(json);
        Duration age = Duration.between(result.checkedAt(), clock.instant());
        MetricSnapshots metrics = ProbeMetrics.of(module, result, timeout, age.isNegative() ? Duration.ZERO : age);
        CheckError error = result.error();
        boolean measured = error == null || !NOT_MEASURED.contains(error.code());
        if (Boolean.parseBoolean(ctx.queryParams().get(DEBUG))) {
            InstantCheckService.setRateLimitHeaders(ctx, completed);
            end(ctx, "text/plain; charset=utf-8", log(result, json, timeout, age, metrics, measured));
        } else if (error != null && !measured) {
            problems.send(
                    ctx,
                    Problem.unavailable(
                            "unavailable", error.message() + " The probe does not have a result.", RETRY_SECONDS));
        } else {
            InstantCheckService.setRateLimitHeaders(ctx, completed);
            MetricsFormat format = MetricsFormat.accepted(ctx.request().getHeader("Accept"));
            end(ctx, format.contentType(), write(format == MetricsFormat.OPEN_METRICS ? OPEN_METRICS : TEXT, metrics));
        }
    }

    private static Buffer write(ExpositionFormatWriter format, MetricSnapshots metrics) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(4096);
        try {
            format.write(out, metrics);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return Buffer.buffer(out.toByteArray());
    }

    /** The log of a check as text. */
    private static Buffer log(
            CheckResult result,
            byte[] json,
            Duration timeout,
            Duration age,
            MetricSnapshots metrics,
            boolean measured) {
        return Buffer.buffer()
                .appendString("module: " + result.module() + "\ntarget: " + result.target() + "\nverdict: "
                        + result.verdict().id() + "\nchecked at: " + ResultJson.time(result.checkedAt())
                        + "\nduration: " + result.durationMs() + " ms\ntimeout: " + timeout.toMillis()
                        + " ms\nage of the result: " + age.toSeconds() + " s\n\nResult:\n")
                .appendString(new JsonObject(Buffer.buffer(json)).encodePrettily())
                .appendString(
                        measured
                                ? "\n\nMetrics:\n"
                                : "\n\nWithout debug=true, the response has the status 503 instead of these metrics:\n")
                .appendBuffer(write(TEXT, metrics));
    }

    private static void end(RoutingContext ctx, String contentType, Buffer body) {
        ctx.response()
                .putHeader("Content-Type", contentType)
                .putHeader("Cache-Control", "no-store")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader(RequestId.HEADER, RequestId.of(ctx));
        ResponseBodies.end(ctx, body);
    }
}
