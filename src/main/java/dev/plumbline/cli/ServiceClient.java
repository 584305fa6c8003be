package dev.plumbline.cli;

import com.google.common.base.Strings;
import dev.plumbline.app.Version;
import dev.plumbline.cli.report.TerminalText;
import dev.plumbline.target.ExceptionMessage;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.net.ConnectException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A client of the API of a service. Retries requests: after an exceeded quota (429) for at most
 * {@link #MAX_QUOTA_WAIT_SECONDS}, after overload or a lost connection up to {@link #MAX_ATTEMPTS} attempts. Waits for
 * the time in Retry-After. If the first connection is refused, the service is not running, and the request fails at
 * once. Methods block. Not thread-safe.
 */
final class ServiceClient implements AutoCloseable {
    private static final int MAX_ATTEMPTS = 8;
    private static final int MAX_BACKOFF_SECONDS = 30;

    /** Two windows of a quota, because other clients can use the same quota. */
    private static final int MAX_QUOTA_WAIT_SECONDS = 7_200;

    private static final long TIMEOUT_MS = 90_000;
    private static final int CONNECT_TIMEOUT_MS = 10_000;
    private static final int NOT_FOUND = 404;
    private static final int UNPROCESSABLE_CONTENT = 422;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;
    private static final Pattern TOKEN = Pattern.compile("job_[0-9A-Za-z]{22}");

    /** A conflict means that the job of the same idempotency key is being created. */
    private static final Set<Integer> TRANSIENT = Set.of(408, 409, 502, 503, 504);

    private final String server;
    private final String key;
    private final Consumer<String> notices;
    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final WebClient client;

    /** Whether the service has accepted a connection. */
    private boolean reached;

    /**
     * @param server base URL without a trailing slash
     * @param notices receives a sentence before each wait
     */
    ServiceClient(String server, String key, Consumer<String> notices) {
        this.server = server;
        this.key = key;
        this.notices = notices;
        client = WebClient.create(
                vertx,
                new WebClientOptions()
                        .setUserAgent("plumbline-cli/" + Version.text())
                        .setConnectTimeout(CONNECT_TIMEOUT_MS)
                        .setDecompressionSupported(true)
                        .setFollowRedirects(false));
    }

    /**
     * Creates a job. The idempotency key prevents a second job if a response is lost. If the service does not know
     * whether it created the job, the job is read; if it does not exist, the request is repeated.
     */
    JsonObject create(JsonObject job, String idempotencyKey) throws CommandException, InterruptedException {
        return job(
                json(send(HttpMethod.POST, "/api/v1/jobs", Map.of("Idempotency-Key", idempotencyKey), job.toBuffer())));
    }

    /**
     * Returns a job without its results.
     *
     * @param waitSeconds maximum time that the service waits for the end of the job, 0 to 30
     */
    JsonObject job(String token, int waitSeconds) throws CommandException, InterruptedException {
        return job(json(send(HttpMethod.GET, path(token) + "?results=false", prefer(waitSeconds), null)));
    }

    /** Returns a job without its results, if the service accepts the filters. */
    JsonObject job(String token, LineFilterOptions filters) throws CommandException, InterruptedException {
        return job(json(
                send(HttpMethod.GET, path(token) + "?results=false" + filters.validatedParameters(), Map.of(), null)));
    }

    private static Map<String, String> prefer(int waitSeconds) {
        return waitSeconds == 0 ? Map.of() : Map.of("Prefer", "wait=" + waitSeconds);
    }

    /**
     * Returns a job with the lines that finished after a cursor, in the order in which they finished.
     *
     * @param since the cursor; empty for the first lines
     * @param waitSeconds maximum time that the service waits for a line, 0 to 30
     */
    JsonObject finishedLines(String token, String since, int limit, int waitSeconds)
            throws CommandException, InterruptedException {
        String path = path(token) + "?limit=" + limit + "&since=" + URLEncoder.encode(since, StandardCharsets.UTF_8);
        return job(json(send(HttpMethod.GET, path, prefer(waitSeconds), null)));
    }

    /** Returns the results of a job in a format of the API: {@code csv} or {@code ndjson}. */
    String results(String token, String format, LineFilterOptions filters)
            throws CommandException, InterruptedException {
        String path = path(token) + "/results." + format + filters.parameters();
        // null if it is empty
        return Strings.nullToEmpty(send(HttpMethod.GET, path, Map.of(), null).bodyAsString("UTF-8"));
    }

    /**
     * Returns all lines of a job as NDJSON.
     *
     * @param stored whether the policy and the expectations of the job are not applied
     */
    byte[] lines(String token, boolean stored) throws CommandException, InterruptedException {
        String path = path(token) + "/results.ndjson" + (stored ? "?policy=" : "");
        Buffer body = send(HttpMethod.GET, path, Map.of(), null).body();
        // null if it is empty
        return body == null ? new byte[0] : body.getBytes();
    }

    String document(String path) throws CommandException, InterruptedException {
        return send(HttpMethod.GET, path, Map.of(), null).bodyAsString("UTF-8");
    }

    JsonObject cancel(String token) throws CommandException, InterruptedException {
        return json(send(HttpMethod.DELETE, path(token), Map.of("Prefer", "return=minimal"), null));
    }

    JsonArray list(int limit) throws CommandException, InterruptedException {
        JsonObject list = json(send(HttpMethod.GET, "/api/v1/jobs?limit=" + limit, Map.of(), null));
        if (!(list.getValue("jobs") instanceof JsonArray jobs)) {
            throw notFromService("a list of jobs");
        }
        for (Object job : jobs) {
            job(job instanceof JsonObject object ? object : new JsonObject());
        }
        return jobs;
    }

    /** Returns the job if its members have the types that the commands use. */
    private static JsonObject job(JsonObject job) throws CommandException {
        boolean valid = job.getValue("token") instanceof String token
                && TOKEN.matcher(token).matches()
                && job.getValue("state") instanceof String
                && job.getValue("counts") instanceof JsonObject counts
                && counts.stream().allMatch(count -> count.getValue() instanceof Number);
        if (!valid) {
            throw notFromService("a job");
        }
        return job;
    }

    private static CommandException notFromService(String expected) {
        return new CommandException("The response of the server is not " + expected + ". Check --server.");
    }

    /** Whether a text has the form of a job token. */
    static boolean isToken(String text) {
        return TOKEN.matcher(text).matches();
    }

    private static String path(String token) throws CommandException {
        if (!TOKEN.matcher(token).matches()) {
            throw new CommandException("'" + token + "' is not a valid job token. A token is job_ and 22 characters.");
        }
        return "/api/v1/jobs/" + token;
    }

    private HttpResponse<Buffer> send(
            HttpMethod method, String path, Map<String, String> headers, @Nullable Buffer body)
            throws CommandException, InterruptedException {
        int quotaWaitSeconds = 0;
        // the path of a job that may have been created
        String created = null;
        for (int attempt = 1; ; ) {
            String problem;
            int seconds = Math.min(MAX_BACKOFF_SECONDS, 1 << (attempt - 1));
            try {
                HttpResponse<Buffer> response = created == null
                        ? exchange(method, path, headers, body)
                        : exchange(HttpMethod.GET, created, Map.of(), null);
                reached = true;
                int status = response.statusCode();
                if (status < 300) {
                    return response;
                }
                if (created != null && status == NOT_FOUND) {
                    created = null;
                    continue;
                }
                problem = problem(response);
                String token = tokenOfUnknownOutcome(response);
                created = token == null ? created : path(token) + "?results=false";
                if (status != TOO_MANY_REQUESTS && !TRANSIENT.contains(status)) {
                    throw status == UNPROCESSABLE_CONTENT
                            ? new InvalidRequestException(problem, pointers(response))
                            : new CommandException(problem);
                }
                seconds = retryAfter(response, seconds);
                if (status == TOO_MANY_REQUESTS) {
                    quotaWaitSeconds += seconds;
                } else {
                    attempt++;
                }
            } catch (ExecutionException failed) {
                Throwable cause = failed.getCause() == null ? failed : failed.getCause();
                boolean refused = isRefused(cause);
                if (refused && !reached) {
                    throw new CommandException("Connection refused by " + server
                            + ". Start the service, or set --server or PLUMBLINE_SERVER.");
                }
                reached |= !(cause instanceof ConnectException);
                problem = refused
                        ? "Connection refused by " + server + "."
                        : sentence("Request to " + server + " failed: " + ExceptionMessage.of(cause));
                attempt++;
            }
            if (attempt > MAX_ATTEMPTS || quotaWaitSeconds > MAX_QUOTA_WAIT_SECONDS) {
                throw new CommandException(problem);
            }
            notices.accept(sentence(problem) + " Retrying in " + seconds + " s.");
            TimeUnit.SECONDS.sleep(seconds);
        }
    }

    /** Other subclasses of {@link ConnectException} are timeouts. */
    private static boolean isRefused(Throwable cause) {
        return cause instanceof ConnectException
                && Strings.nullToEmpty(cause.getMessage()).contains("refused");
    }

    private static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }

    private HttpResponse<Buffer> exchange(
            HttpMethod method, String path, Map<String, String> headers, @Nullable Buffer body)
            throws ExecutionException, InterruptedException {
        HttpRequest<Buffer> request =
                client.requestAbs(method, server + path).timeout(TIMEOUT_MS).bearerTokenAuthentication(key);
        headers.forEach(request::putHeader);
        return (body == null
                        ? request.send()
                        : request.putHeader("Content-Type", "application/json").sendBuffer(body))
                .toCompletionStage()
                .toCompletableFuture()
                .get();
    }

    private static int retryAfter(HttpResponse<Buffer> response, int otherwise) {
        String seconds = response.getHeader("Retry-After");
        return seconds != null && seconds.matches("\\d{1,6}") ? Math.max(1, Integer.parseInt(seconds)) : otherwise;
    }

    /** The token of the job that a request may have created; null if there is none. */
    private static @Nullable String tokenOfUnknownOutcome(HttpResponse<Buffer> response) {
        JsonObject problem = response.statusCode() == UNAVAILABLE ? object(response) : null;
        return problem != null
                        && problem.getValue("token") instanceof String token
                        && TOKEN.matcher(token).matches()
                ? token
                : null;
    }

    /** The detail of a problem document (RFC 9457), or the status. */
    private static String problem(HttpResponse<Buffer> response) {
        JsonObject problem = object(response);
        return "HTTP " + response.statusCode()
                + (problem != null && problem.getValue("detail", problem.getValue("title")) instanceof String detail
                        ? ": " + TerminalText.sanitize(detail)
                        : ".");
    }

    /** The JSON pointers of a problem document. */
    private static List<String> pointers(HttpResponse<Buffer> response) {
        JsonObject problem = object(response);
        List<String> pointers = new ArrayList<>();
        if (problem != null && problem.getValue("errors") instanceof JsonArray errors) {
            for (Object error : errors) {
                if (error instanceof JsonObject fault && fault.getValue("pointer") instanceof String pointer) {
                    pointers.add(pointer);
                }
            }
        }
        return pointers;
    }

    private static JsonObject json(HttpResponse<Buffer> response) throws CommandException {
        JsonObject body = object(response);
        if (body == null) {
            throw notFromService("a JSON object");
        }
        return body;
    }

    /** The body; null if it is not a JSON object, for example because a proxy responds with a page. */
    private static @Nullable JsonObject object(HttpResponse<Buffer> response) {
        try {
            return response.bodyAsJsonObject();
        } catch (DecodeException | ClassCastException noObject) {
            return null;
        }
    }

    @Override
    public void close() {
        client.close();
        vertx.close().await();
    }
}
