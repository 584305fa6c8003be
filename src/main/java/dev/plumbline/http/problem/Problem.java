package dev.plumbline.http.problem;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What is wrong with a request, as a problem document (RFC 9457).
 *
 * @param code kebab-case, stable, for programs
 * @param title what kind of problem it is, the same for each occurrence
 * @param detail what was wrong this time and what to do about it
 * @param faults the faults of bad input, the first hundred; empty otherwise
 * @param extensions further members
 * @param headers what the answer carries besides
 */
public record Problem(
        int status,
        String code,
        String title,
        String detail,
        List<Fault> faults,
        Map<String, Object> extensions,
        Map<String, String> headers) {

    private static final int MOST_FAULTS = 100;
    private static final int LONGEST_NAME = 128;
    private static final int LONGEST_DETAIL = 1000;

    /** An API key, which some put into a path by mistake; problems are pasted into tickets. */
    private static final Pattern KEY = Pattern.compile("plk_[0-9A-Za-z]+");

    /** The registered type of a quota that is used up. */
    private static final String QUOTA_TYPE = "https://iana.org/assignments/http-problem-types#quota-exceeded";

    /**
     * One fault of bad input.
     *
     * @param member {@code pointer} (a JSON pointer into the body) or {@code parameter}
     */
    public record Fault(String member, String where, String detail) {
        public Fault {
            // both may repeat what a stranger sent
            where = cut(where, LONGEST_NAME);
            detail = cut(detail, LONGEST_DETAIL);
        }

        private static String cut(String text, int most) {
            return text.length() <= most ? text : text.substring(0, most) + "\u2026";
        }

        /**
         * @param pointer into the body (RFC 6901); empty for the whole of it
         */
        public static Fault pointer(String pointer, String detail) {
            return new Fault("pointer", pointer, detail);
        }

        public static Fault parameter(String name, String detail) {
            return new Fault("parameter", name, detail);
        }
    }

    public Problem {
        faults = faults.stream().limit(MOST_FAULTS).toList();
        extensions = Map.copyOf(extensions);
        headers = Map.copyOf(headers);
    }

    public static Problem of(int status, String code, String title, String detail) {
        return new Problem(status, code, title, detail, List.of(), Map.of(), Map.of());
    }

    public static Problem badRequest(String detail) {
        return of(400, "bad-request", "The request is malformed", detail);
    }

    public static Problem notFound(String detail) {
        return of(404, "not-found", "There is nothing here", detail);
    }

    /**
     * @param retryAfterSeconds at least 1
     */
    public static Problem unavailable(String code, String detail, int retryAfterSeconds) {
        return of(503, code, "The service cannot answer just now", detail)
                .with("Retry-After", Integer.toString(retryAfterSeconds));
    }

    /** The same problem with one more header. */
    public Problem with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new Problem(status, code, title, detail, faults, extensions, more);
    }

    public Problem withFaults(List<Fault> found) {
        return new Problem(status, code, title, detail, found, extensions, headers);
    }

    public Problem withExtension(String name, Object value) {
        Map<String, Object> more = new TreeMap<>(extensions);
        more.put(name, value);
        return new Problem(status, code, title, detail, faults, more, headers);
    }

    /**
     * The document.
     *
     * @param docs where people read what a code means
     * @param instance the path of the request
     */
    JsonObject document(String docs, String instance, String requestId) {
        JsonObject json = new JsonObject()
                .put("type", code.equals("quota-exceeded") ? QUOTA_TYPE : docs + "#" + code)
                .put("title", title)
                .put("status", status)
                .put("detail", detail)
                .put("instance", KEY.matcher(instance).replaceAll("plk_..."))
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
