package dev.plumbline.http.api.share;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Scope;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.NextLink;
import dev.plumbline.http.api.RateLimitHeaders;
import dev.plumbline.http.api.job.LineSelection;
import dev.plumbline.http.api.job.PageCursor;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.api.job.ResultFormat;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.share.SharedResult;
import dev.plumbline.share.SharedResultStore;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The operations of shared results. */
public final class SharedResultOperations {
    private static final String DELETE_TOKEN = "Delete-Token";
    private static final int DEFAULT_LIMIT = 20;

    /** A deleted result disappears from caches after this time. */
    private static final int MAX_AGE_SECONDS = 600;

    private static final JsonObject NO_OPTIONS = new JsonObject();

    private final SharedResultService shared;
    private final PageJobService jobs;
    private final ApiKeyHandler authentication;
    private final JsonBody body;
    private final SharedResultJson json;
    private final Clock clock;

    public SharedResultOperations(
            SharedResultService shared,
            PageJobService jobs,
            ApiKeyHandler authentication,
            ApiContract contract,
            RequestBodyReader bodies,
            String publicUrl,
            Clock clock) {
        this.shared = shared;
        this.jobs = jobs;
        this.authentication = authentication;
        this.body = new JsonBody(bodies, contract, "shareResult");
        this.json = new SharedResultJson(publicUrl);
        this.clock = clock;
    }

    public List<ApiOperation> all() {
        return List.of(
                new ApiOperation("shareResult", this::create),
                new ApiOperation("listResults", this::list),
                new ApiOperation("readResult", this::read),
                new ApiOperation("deleteResult", this::delete));
    }

    private void create(RoutingContext ctx) {
        if (ContentNegotiation.acceptsJson(ctx)) {
            body.read(ctx, request -> create(ctx, request));
        } else {
            ctx.fail(406);
        }
    }

    private void create(RoutingContext ctx, JsonObject request) {
        String job = request.getString("job");
        List<Problem.Fault> faults = new ArrayList<>();
        for (String member : List.of("module", "target", "options")) {
            // generated clients can send an empty object
            boolean given = request.containsKey(member) && !NO_OPTIONS.equals(request.getValue(member));
            if (job != null && given) {
                faults.add(Problem.Fault.pointer("/" + member, "cannot be combined with job"));
            } else if (job == null && !member.equals("options") && !request.containsKey(member)) {
                faults.add(Problem.Fault.pointer("/" + member, "is required without job"));
            }
        }
        if (!faults.isEmpty()) {
            throw new ProblemException(JsonBody.invalid(faults));
        }
        if (job != null) {
            authentication.authenticate(
                    ctx,
                    Scope.JOBS_WRITE,
                    caller -> RequestFutures.handle(
                            ctx, shared.shareJob(caller.accountId(), job), created -> sendCreated(ctx, created)));
            return;
        }
        // a check does not require a key, but an invalid one is an error
        authentication.identifyIfPresent(ctx, caller -> shareCheck(ctx, request));
    }

    private void shareCheck(RoutingContext ctx, JsonObject request) {
        Map<String, Object> options =
                request.getJsonObject("options", new JsonObject()).getMap();
        RequestFutures.handle(
                ctx,
                shared.shareCheck(ctx, request.getString("module"), request.getString("target"), options),
                created -> sendCreated(ctx, created));
    }

    private void sendCreated(RoutingContext ctx, SharedResultService.SharedNow created) {
        if (created.quota() != null) {
            RateLimitHeaders.write(ctx.response(), List.of(created.quota()));
        }
        ResponseBodies.beginPrivate(ctx, 201)
                .putHeader("Location", json.location(created.result()))
                .putHeader("Content-Type", "application/json");
        ResponseBodies.end(
                ctx, json.created(created.result(), created.deleteToken()).toBuffer());
    }

    private void list(RoutingContext ctx) {
        authentication.authenticate(ctx, Scope.JOBS_READ, caller -> list(ctx, caller));
    }

    private void list(RoutingContext ctx, ApiCaller caller) {
        if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
            return;
        }
        String limitText = ctx.request().getParam("limit");
        int limit = limitText == null ? DEFAULT_LIMIT : Integer.parseInt(limitText);
        SharedResultStore.Position after = position(ctx.request().getParam("cursor"));
        RequestFutures.handle(ctx, shared.list(caller.accountId(), after, limit + 1), found -> {
            boolean more = found.size() > limit;
            List<SharedResult> page = more ? found.subList(0, limit) : found;
            SharedResult last = more ? page.get(limit - 1) : null;
            String next = last == null ? null : PageCursor.afterSharedResult(last.id() + '.' + last.createdAt());
            ResponseBodies.beginPrivate(ctx, 200).putHeader("Content-Type", "application/json");
            NextLink.write(ctx, json.location(), "cursor", next);
            ResponseBodies.end(ctx, json.list(page, next).toBuffer());
        });
    }

    private static SharedResultStore.Position position(@Nullable String cursor) {
        if (cursor == null) {
            return SharedResultStore.Position.START;
        }
        try {
            String[] parts = PageCursor.sharedResult(cursor).split("\\.", 2);
            if (parts.length == 2 && SharedResult.isId(parts[0])) {
                return new SharedResultStore.Position(Instant.parse(parts[1]), parts[0]);
            }
        } catch (IllegalArgumentException | DateTimeParseException malformed) {
            throw new ProblemException(PageCursor.invalid());
        }
        throw new ProblemException(PageCursor.invalid());
    }

    private void read(RoutingContext ctx) {
        String[] name = ctx.pathParam("id").split("\\.", 2);
        ResultFormat format = name.length == 1 ? ResultFormat.JSON : ResultFormat.ofFile(name[1]);
        if (format == ResultFormat.JSON && !ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
            return;
        }
        LineSelection selection = LineSelection.of(ctx.request());
        PolicyParameters policy = PolicyParameters.of(ctx.queryParams());
        RequestFutures.handle(ctx, shared.find(name[0]), result -> {
            if (result.job() != null && format != null) {
                jobs.sendCopy(
                        ctx,
                        shared.client(ctx),
                        result.job(),
                        shared.lines(result.id()),
                        format,
                        selection,
                        policy,
                        json.membersWithOptions(result).putNull("result"),
                        () -> publicHead(ctx, result));
            } else if (result.job() != null) {
                ctx.fail(new ProblemException(SharedResultService.notFound()
                        .withDetail(
                                "A shared job is available as JSON without a file extension, and with the extensions"
                                        + " .csv and .ndjson.")));
            } else if (format == ResultFormat.JSON && !(selection.equals(LineSelection.ALL) && policy.isEmpty())) {
                ctx.fail(new ProblemException(Problem.invalidParameters(Stream.concat(
                                selection.parameters().keySet().stream()
                                        .map(parameter -> Problem.Fault.parameter(
                                                parameter,
                                                "selects lines of a shared job, but this is the result of a check")),
                                policy.parameters().stream()
                                        .map(Map.Entry::getKey)
                                        .distinct()
                                        .map(parameter -> Problem.Fault.parameter(
                                                parameter,
                                                "is applied to shared jobs, but this is the result of a check")))
                        .toList())));
            } else if (format == ResultFormat.JSON) {
                readCheck(ctx, result);
            } else {
                ctx.fail(new ProblemException(SharedResultService.notFound()
                        .withDetail("The result of an instant check is available as JSON only, without a file"
                                + " extension.")));
            }
        });
    }

    private void readCheck(RoutingContext ctx, SharedResult result) {
        String etag = "W/\"" + result.id() + '"';
        if (ContentNegotiation.matches(ctx, etag)) {
            publicHead(ctx, result).putHeader("ETag", etag).setStatusCode(304).end();
            return;
        }
        RequestFutures.handle(ctx, shared.checkResult(result), body -> {
            publicHead(ctx, result).putHeader("ETag", etag).putHeader("Content-Type", "application/json");
            ResponseBodies.end(ctx, json.check(result, body));
        });
    }

    private HttpServerResponse publicHead(RoutingContext ctx, SharedResult result) {
        long left = Duration.between(clock.instant(), result.expiresAt()).toSeconds();
        HttpServerResponse response = ctx.response()
                .putHeader("Cache-Control", "public, max-age=" + Math.max(0, Math.min(MAX_AGE_SECONDS, left)))
                .putHeader("X-Robots-Tag", "noindex")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader(RequestId.HEADER, RequestId.of(ctx));
        ResponseBodies.addVary(response, "Accept, Accept-Encoding");
        return response;
    }

    private void delete(RoutingContext ctx) {
        String id = ctx.pathParam("id");
        String token = ctx.request().getHeader(DELETE_TOKEN);
        if (token != null) {
            RequestFutures.handle(ctx, shared.delete(id, token), deleted -> sendDeleted(ctx));
        } else {
            authentication.authenticate(
                    ctx,
                    Scope.JOBS_WRITE,
                    caller -> RequestFutures.handle(
                            ctx, shared.delete(id, caller.accountId()), deleted -> sendDeleted(ctx)));
        }
    }

    private static void sendDeleted(RoutingContext ctx) {
        ResponseBodies.beginPrivate(ctx, 204).end();
    }
}
