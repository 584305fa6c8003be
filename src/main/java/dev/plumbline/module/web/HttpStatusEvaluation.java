package dev.plumbline.module.web;

import dev.plumbline.check.CheckError;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.Finding;
import dev.plumbline.check.Options;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectTrace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What {@link HttpStatus} makes of what it saw. Pure. */
final class HttpStatusEvaluation {
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");
    private static final int LONG_CHAIN = 4;
    private static final double SLOW_MS = 3_000;
    private static final int SHOWN_TEXT = 200;
    private static final int DECODED_BODY_BYTES = 512 * 1024;

    private final List<RedirectTrace> journeys;
    private final RedirectTrace journey;
    private final Options options;
    private final @Nullable HttpExchange last;
    private final List<HttpExchange> redirects;
    private final @Nullable String page;
    private final boolean blocked;
    private final boolean soft404;

    /**
     * @param journeys at least one; the last one counts
     */
    HttpStatusEvaluation(List<RedirectTrace> journeys, Options options) {
        this.journeys = journeys;
        this.journey = journeys.get(journeys.size() - 1);
        this.options = options;
        this.last = lastAnswer();
        this.redirects = redirectsPassed();
        this.page = last == null ? null : readablePage(last);
        this.blocked = last != null && PageHeuristics.blocked(last.status(), last.headers(), page);
        this.soft404 = last != null
                && PageHeuristics.notFoundInDisguise(
                        last.status(), last.url().pathAndQuery(), !redirects.isEmpty(), page);
    }

    Evaluation judgement() {
        return new Evaluation(fields(), findings(), journey.error());
    }

    private @Nullable HttpExchange lastAnswer() {
        for (int i = journeys.size() - 1; i >= 0; i--) {
            HttpExchange answer = journeys.get(i).last();
            if (answer != null) {
                return answer;
            }
        }
        return null;
    }

    /** Every redirect that led on, or would have if its target had been allowed and answered. */
    private List<HttpExchange> redirectsPassed() {
        List<HttpExchange> passed = new ArrayList<>();
        for (RedirectTrace each : journeys) {
            for (int i = 0; i < each.hops().size(); i++) {
                HttpExchange hop = each.hops().get(i);
                boolean wentOn = i + 1 < each.hops().size() || each.error() != null;
                if (hop.redirects() && wentOn) {
                    passed.add(hop);
                }
            }
        }
        return passed;
    }

    private static @Nullable String readablePage(HttpExchange answer) {
        if (answer.method() != HttpRequestSpec.Method.GET) {
            return null;
        }
        HttpBody page = answer.decoded(DECODED_BODY_BYTES);
        return page.unreadable() ? null : page.text(answer.headers().first("content-type"));
    }

    private Map<String, @Nullable Object> fields() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        HttpExchange answer = last;
        fields.put("status", answer == null ? null : answer.status());
        fields.put("status_text", answer == null || answer.reason().isEmpty() ? null : shown(answer.reason()));
        fields.put("ok", ok());
        fields.put("final_url", journey.url().text());
        fields.put("redirect_count", redirects.size());
        fields.put(
                "redirects", redirects.stream().map(HttpStatusEvaluation::row).toList());
        fields.put(
                "response_time_ms",
                answer == null ? null : Math.round(answer.timings().totalMs()));
        fields.put("http_version", answer == null ? null : answer.version());
        fields.put("content_type", header("content-type"));
        fields.put("content_length", contentLength());
        fields.put("server", header("server"));
        fields.put("ip", answer == null ? null : answer.ip());
        fields.put("method_used", methodUsed());
        fields.put("attempts", journeys.size());
        fields.put("blocked_suspected", blocked);
        fields.put("soft_404_suspected", soft404);
        fields.put("contains_matched", containsMatched());
        return fields;
    }

    private static Map<String, @Nullable Object> row(HttpExchange hop) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("url", hop.url().text());
        row.put("status", hop.status());
        row.put("location", hop.headers().firstText("location"));
        row.put("time_ms", Math.round(hop.timings().totalMs()));
        return row;
    }

    private boolean ok() {
        if (journey.error() != null || last == null) {
            return false;
        }
        String expected = options.text("expect_status");
        return expected == null ? last.status() / 100 == 2 : matches(expected, last.status());
    }

    /** Whether a status is one of those that an expectation names. */
    static boolean matches(String expected, int status) {
        for (String part : expected.split(",", -1)) {
            int dash = part.indexOf('-');
            boolean hit;
            if (part.endsWith("xx")) {
                hit = status / 100 == part.charAt(0) - '0';
            } else if (dash > 0) {
                hit = status >= Integer.parseInt(part.substring(0, dash))
                        && status <= Integer.parseInt(part.substring(dash + 1));
            } else {
                hit = status == Integer.parseInt(part);
            }
            if (hit) {
                return true;
            }
        }
        return false;
    }

    private @Nullable String header(String name) {
        String value = last == null ? null : last.headers().first(name);
        return value == null ? null : shown(value);
    }

    private static String shown(String text) {
        return text.length() <= SHOWN_TEXT ? text : text.substring(0, SHOWN_TEXT) + "…";
    }

    private @Nullable Long contentLength() {
        if (last == null) {
            return null;
        }
        String sent = last.headers().first("content-length");
        if (sent != null) {
            return LENGTH.matcher(sent).matches() ? Long.valueOf(sent) : null;
        }
        boolean whole = last.method() == HttpRequestSpec.Method.GET
                && last.bodyError() == null
                && !last.body().truncated();
        return whole ? Long.valueOf(last.body().size()) : null;
    }

    private String methodUsed() {
        if (last != null) {
            return last.method().name().toLowerCase(Locale.ROOT);
        }
        boolean get = "get".equals(options.text("method"))
                || journeys.size() > 1
                || ("auto".equals(options.text("method")) && options.text("contains") != null);
        return get ? "get" : "head";
    }

    private @Nullable Boolean containsMatched() {
        String wanted = options.text("contains");
        return wanted == null || page == null ? null : Boolean.valueOf(page.contains(wanted));
    }

    private List<Finding> findings() {
        List<Finding> found = new ArrayList<>();
        CheckError error = journey.error();
        if (last != null && error == null) {
            status(last, found);
            text(found);
            answer(last, found);
        }
        way(found);
        return found;
    }

    private void status(HttpExchange answer, List<Finding> found) {
        int status = answer.status();
        String expected = options.text("expect_status");
        String named = status + (answer.reason().isEmpty() ? "" : " " + shown(answer.reason()));
        if (expected != null) {
            if (!matches(expected, status)) {
                found.add(HttpStatusDescription.EXPECTED_MISMATCH.found(
                        "The status is " + status + ", expected was " + expected + "."));
            }
        } else if (status >= 500 && status < 600) {
            found.add(HttpStatusDescription.SERVER_ERROR.found("The server failed to answer: " + named + "."));
        } else if (status >= 400 && status < 500) {
            found.add(HttpStatusDescription.CLIENT_ERROR.found("The server does not give us the page: " + named + "."));
        } else if (answer.redirects()) {
            found.add(HttpStatusDescription.NOT_FOLLOWED.found());
        } else if (status / 100 != 2) {
            found.add(HttpStatusDescription.UNUSUAL_STATUS.found(
                    "The status " + status + " is neither a success nor an error."));
        }
    }

    private void text(List<Finding> found) {
        if (options.text("contains") != null) {
            Boolean matched = containsMatched();
            if (matched == null) {
                found.add(HttpStatusDescription.TEXT_NOT_CHECKED.found());
            } else if (!matched) {
                found.add(HttpStatusDescription.TEXT_MISSING.found());
            }
        }
    }

    private void answer(HttpExchange answer, List<Finding> found) {
        if (blocked) {
            found.add(HttpStatusDescription.BLOCKED.found());
        }
        if (soft404) {
            found.add(HttpStatusDescription.SOFT_404.found());
        }
        if (answer.timings().totalMs() > SLOW_MS) {
            found.add(HttpStatusDescription.SLOW.found());
        }
        if (!answer.url().secure()) {
            found.add(HttpStatusDescription.PLAIN_HTTP.found());
        } else if (!answer.version().equals("2")) {
            found.add(HttpStatusDescription.HTTP1.found());
        }
        if (answer.url().secure() && !options.flag("verify_tls")) {
            found.add(HttpStatusDescription.TLS_NOT_VERIFIED.found());
        }
        if (journeys.size() > 1 && answeredDifferently(answer)) {
            found.add(HttpStatusDescription.HEAD_REFUSED.found());
        }
    }

    private boolean answeredDifferently(HttpExchange answer) {
        HttpExchange head = journeys.get(0).last();
        return head == null || journeys.get(0).error() != null || head.status() != answer.status();
    }

    private void way(List<Finding> found) {
        if (!redirects.isEmpty()) {
            boolean permanent = redirects.stream().allMatch(hop -> hop.status() == 301 || hop.status() == 308);
            if (permanent && journey.error() == null) {
                found.add(HttpStatusDescription.PERMANENT_REDIRECT.found("The address has moved for good to "
                        + shown(journey.url().text()) + "."));
            } else {
                found.add(HttpStatusDescription.REDIRECTED.found());
            }
        }
        if (redirects.size() >= LONG_CHAIN) {
            found.add(HttpStatusDescription.LONG_CHAIN.found("It takes " + redirects.size() + " redirects to arrive."));
        }
        if (journeys.stream().anyMatch(RedirectTrace::downgraded)) {
            found.add(HttpStatusDescription.DOWNGRADE.found());
        }
    }
}
