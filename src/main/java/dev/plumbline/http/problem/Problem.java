package dev.plumbline.http.problem;

import dev.plumbline.target.PrintableText;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A problem document (RFC 9457).
 *
 * @param code a stable identifier in kebab case, for programs
 * @param title the kind of problem, the same for each occurrence
 * @param detail what happened, which value caused it, and what to do
 * @param faults the input errors, at most 100; empty for other problems
 * @param extensions additional members
 * @param headers additional response headers
 */
public record Problem(
        int status,
        String code,
        String title,
        String detail,
        List<Fault> faults,
        Map<String, Object> extensions,
        Map<String, String> headers) {

    private static final int MAX_FAULTS = 100;
    private static final int MAX_POINTER_LENGTH = 128;
    private static final int MAX_DETAIL_LENGTH = 1000;

    /** An API key, redacted from paths, parameters and details: clients send keys in paths by mistake. */
    private static final Pattern KEY = Pattern.compile("plk_[0-9A-Za-z]+");

    /** The registered problem type for exceeded rate limits. */
    private static final String QUOTA_TYPE = "https://iana.org/assignments/http-problem-types#quota-exceeded";

    /**
     * An error in the input.
     *
     * @param member {@code pointer} (a JSON pointer into the body) or {@code parameter}
     */
    public record Fault(String member, String where, String detail) {
        public Fault {
            // both can contain client input
            where = withoutKeys(PrintableText.shorten(where, MAX_POINTER_LENGTH));
            detail = withoutKeys(PrintableText.sanitize(PrintableText.shorten(detail, MAX_DETAIL_LENGTH)));
        }

        /** @param pointer a JSON pointer into the body (RFC 6901); empty for the whole body */
        public static Fault pointer(String pointer, String detail) {
            return new Fault("pointer", pointer, detail);
        }

        public static Fault parameter(String name, String detail) {
            return new Fault("parameter", name, detail);
        }
    }

    public Problem {
        detail = withoutKeys(detail);
        faults = faults.stream().limit(MAX_FAULTS).toList();
        extensions = Map.copyOf(extensions);
        headers = Map.copyOf(headers);
    }

    private static String withoutKeys(String text) {
        return KEY.matcher(text).replaceAll("plk_...");
    }

    public static Problem of(int status, String code, String title, String detail) {
        return new Problem(status, code, title, detail, List.of(), Map.of(), Map.of());
    }

    public static Problem badRequest(String detail) {
        return of(400, "bad-request", "Bad request", detail);
    }

    /** Returns a problem with status 422 for parameters whose type is valid, but not the value. */
    public static Problem invalidParameters(List<Fault> faults) {
        Fault first = faults.get(0);
        return of(
                        422,
                        "invalid-parameter",
                        "Invalid parameter",
                        faults.size() == 1
                                ? "Parameter " + first.where() + ": " + first.detail()
                                        + (first.detail().matches("(?s).*[.?]") ? "" : ".")
                                : "The request has " + faults.size() + " invalid parameters. See `errors`.")
                .withFaults(faults);
    }

    public static Problem notFound(String detail) {
        return of(404, "not-found", "Not found", detail);
    }

    /**
     * Returns a problem with status 503.
     *
     * @param code {@code overloaded} or {@code unavailable}
     * @param retryAfterSeconds at least 1
     */
    public static Problem unavailable(String code, String detail, int retryAfterSeconds) {
        String title = code.equals("overloaded") ? "Service overloaded" : "Service unavailable";
        return of(503, code, title, detail).with("Retry-After", Integer.toString(retryAfterSeconds));
    }

    public Problem with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new Problem(status, code, title, detail, faults, extensions, more);
    }

    public Problem withDetail(String other) {
        return new Problem(status, code, title, other, faults, extensions, headers);
    }

    public Problem withFaults(List<Fault> errors) {
        return new Problem(status, code, title, detail, errors, extensions, headers);
    }

    public Problem withExtension(String name, Object value) {
        Map<String, Object> more = new TreeMap<>(extensions);
        more.put(name, value);
        return new Problem(status, code, title, detail, faults, more, headers);
    }

    /**
     * Returns the problem document.
     *
     * @param docs the URL of the page that documents the codes
     * @param instance the path of the request
     */
    JsonObject document(String docs, String instance, String requestId) {
        JsonObject json = new JsonObject()
                .put("type", code.equals("quota-exceeded") ? QUOTA_TYPE : docs + "#" + code)
                .put("title", title)
                .put("status", status)
                .put("detail", detail)
                .put("instance", withoutKeys(instance))
                .put("code", code)
                .put("request_id", requestId);
        extensions.forEach(json::put);
        if (!faults.isEmpty()) {
            JsonArray errors = new JsonArray();
            for (Fault fault : faults) {
                errors.add(new JsonObject().put(fault.member(), fault.where()).put("detail", fault.detail()));
            }
            json.put("errors", errors);
        }
        return json;
    }
}
