package dev.plumbline.module.web;

import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpHeader;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.HttpTimings;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.probe.http.ResponseHeaders;
import dev.plumbline.probe.http.TestBodies;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Evidence for tests of evaluations, without a server. */
public final class HttpEvidence {
    private static final dev.plumbline.sheet.ModuleDescription ANY =
            ModuleDescriptionBuilder.of("any", "Any", InputType.URL).build();
    private static final HttpTimings TIMINGS = new HttpTimings(1, 2, null, 3, 1, 7);

    private HttpEvidence() {}

    public static Target.Url url(String text) {
        try {
            return (Target.Url) TargetParser.parse(ANY, text);
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(text, invalid);
        }
    }

    /**
     * A response.
     *
     * @param headers lines in the form {@code name: value}
     */
    public static HttpExchange page(String url, int status, String body, String... headers) {
        return page(url, status, TestBodies.of(body), headers);
    }

    public static HttpExchange page(String url, int status, HttpBody body, String... headers) {
        List<HttpHeader> lines = new ArrayList<>();
        for (String header : headers) {
            String[] parts = header.split(": *", 2);
            lines.add(new HttpHeader(parts[0].toLowerCase(java.util.Locale.ROOT), parts[1]));
        }
        return new HttpExchange(
                url(url),
                HttpRequestSpec.Method.GET,
                status,
                "",
                "1.1",
                null,
                new ResponseHeaders(lines),
                body,
                "192.0.2.1",
                TIMINGS,
                null);
    }

    /** The same exchange with other timings. */
    public static HttpExchange withTimings(HttpExchange exchange, HttpTimings timings) {
        return new HttpExchange(
                exchange.url(),
                exchange.method(),
                exchange.status(),
                exchange.reason(),
                exchange.version(),
                exchange.alpn(),
                exchange.headers(),
                exchange.body(),
                exchange.ip(),
                timings,
                exchange.bodyError());
    }

    /** The same exchange with other headers. */
    public static HttpExchange withHeaders(HttpExchange exchange, List<HttpHeader> headers) {
        return new HttpExchange(
                exchange.url(),
                exchange.method(),
                exchange.status(),
                exchange.reason(),
                exchange.version(),
                exchange.alpn(),
                new ResponseHeaders(headers),
                exchange.body(),
                exchange.ip(),
                exchange.timings(),
                exchange.bodyError());
    }

    public static HttpExchange redirect(String url, int status, String location) {
        return page(url, status, "", "Location: " + location);
    }

    /** A trace that ends with the last of these exchanges. */
    public static RedirectTrace trace(HttpExchange... hops) {
        return new RedirectTrace(List.of(hops), hops[hops.length - 1].url(), null);
    }

    /** A trace that ends with an error. */
    public static RedirectTrace failedTrace(@Nullable ErrorCode code, String url, HttpExchange... hops) {
        CheckError error = code == null ? null : new CheckError(code, "The redirect failed.");
        return new RedirectTrace(List.of(hops), url(url), error);
    }

    public static List<String> codes(Evaluation evaluation) {
        return evaluation.findings().stream().map(Finding::code).toList();
    }

    /** The same exchange over another version of HTTP. */
    public static HttpExchange withVersion(HttpExchange exchange, String version, @Nullable String alpn) {
        return new HttpExchange(
                exchange.url(),
                exchange.method(),
                exchange.status(),
                exchange.reason(),
                version,
                alpn,
                exchange.headers(),
                exchange.body(),
                exchange.ip(),
                exchange.timings(),
                exchange.bodyError());
    }
}
