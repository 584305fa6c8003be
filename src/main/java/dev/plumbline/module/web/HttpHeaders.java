package dev.plumbline.module.web;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.http.HeaderParser;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpHeader;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.ResponseHeaders;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.time.DateTimeException;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The headers of one response, as received. */
@AutoService(RegisteredModule.class)
public final class HttpHeaders implements CheckModule<HttpExchange, HttpHeaders.Report, HttpHeaders.Findings> {
    private static final int MAX_COMMON_BYTES = 8 * 1024;
    private static final int LINE_OVERHEAD = ": \r\n".length();

    /** Headers with one value; several lines cannot be combined into a list (RFC 9110 section 5.3). */
    private static final Set<String> SINGLE = Set.of(
            """
            age content-disposition content-length content-location content-range content-type date etag expires
            last-modified location retry-after server"""
                    .split("\\s+"));

    /** Headers that were removed from the standards, except those that {@code security-headers} reports. */
    private static final List<String> OBSOLETE = List.of(
            "content-md5", "content-style-type", "p3p", "pragma", "set-cookie2", "warning", "x-pad", "x-ua-compatible");

    private static final List<String> REQUEST_ONLY =
            List.of("authorization", "cookie", "expect", "host", "if-modified-since", "if-none-match", "referer");

    /** Headers of one connection, which HTTP/2 does not allow (RFC 9113 section 8.2.2). */
    private static final List<String> CONNECTION =
            List.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");

    public record Report(
            int status, String httpVersion, Map<String, List<String>> headers, int headerBytes, int setCookieCount) {}

    public interface Findings extends FindingCollector {
        void framingConflict(String length);

        void connectionHeaders(List<String> headers);

        void headerRepeated(List<String> headers);

        void invalidName(List<String> headers);

        void headersLarge(int bytes);

        void contentTypeMissing();

        void contentTypeInvalid(String type);

        void dateMissing();

        void dateInvalid(String date);

        void notAscii(List<String> headers);

        void requestHeader(List<String> headers);

        void obsoleteHeader(List<String> headers);

        void redirectNotFollowed(int status, String location);

        void errorPage(int status);
    }

    @Override
    public Future<HttpExchange> collect(Target target, CheckContext context) {
        Target.Url url = (Target.Url) target;
        HttpRequestSpec request = context.options().text("method").equals("head")
                ? HttpRequestSpec.head(url)
                : HttpRequestSpec.get(url, 0);
        return context.probe(HttpProbe.class).exchange(context, request);
    }

    @Override
    public Report evaluate(HttpExchange response, Options options, Findings findings) {
        ResponseHeaders headers = response.headers();
        Map<String, List<String>> values = new LinkedHashMap<>();
        for (HttpHeader line : headers.lines()) {
            values.computeIfAbsent(line.name(), name -> new ArrayList<>()).add(line.text());
        }
        int bytes = headerBytes(response);
        evaluateFraming(response, values, findings);
        reportIfAny(
                values.entrySet().stream()
                        .filter(entry -> entry.getValue().size() > 1)
                        .map(Map.Entry::getKey)
                        .filter(SINGLE::contains)
                        .toList(),
                findings::headerRepeated);
        reportIfAny(
                values.keySet().stream()
                        .filter(name -> !HeaderParser.isToken(name))
                        .toList(),
                findings::invalidName);
        if (bytes > MAX_COMMON_BYTES) {
            findings.headersLarge(bytes);
        }
        evaluateContentType(response, findings);
        evaluateDate(response, findings);
        reportIfAny(
                headers.lines().stream()
                        .filter(line -> line.value().chars().anyMatch(c -> c >= 0x80))
                        .map(HttpHeader::name)
                        .distinct()
                        .toList(),
                findings::notAscii);
        reportIfAny(present(REQUEST_ONLY, values), findings::requestHeader);
        reportIfAny(present(OBSOLETE, values), findings::obsoleteHeader);
        if (response.redirects()) {
            findings.redirectNotFollowed(response.status(), response.location());
        } else if (response.status() >= 400) {
            findings.errorPage(response.status());
        }
        return new Report(
                response.status(),
                response.version(),
                values,
                bytes,
                values.getOrDefault("set-cookie", List.of()).size());
    }

    private static List<String> present(List<String> names, Map<String, List<String>> headers) {
        return names.stream().filter(headers::containsKey).toList();
    }

    /** The size of the status line, of a line per header and of the empty line that ends them. */
    private static int headerBytes(HttpExchange response) {
        String statusLine = "HTTP/%s %d %s\r\n\r\n".formatted(response.version(), response.status(), response.reason());
        return statusLine.length()
                + response.headers().lines().stream()
                        .mapToInt(line -> line.name().length() + line.value().length() + LINE_OVERHEAD)
                        .sum();
    }

    private static void evaluateFraming(HttpExchange response, Map<String, List<String>> headers, Findings findings) {
        if (response.version().equals("2")) {
            reportIfAny(present(CONNECTION, headers), findings::connectionHeaders);
        } else if (headers.containsKey("transfer-encoding") && headers.containsKey("content-length")) {
            findings.framingConflict(String.join(", ", headers.get("content-length")));
        }
    }

    private static void evaluateContentType(HttpExchange response, Findings findings) {
        String type = response.headers().first("content-type");
        boolean successful = response.status() / 100 == 2;
        boolean withoutContent = response.status() == 204
                || response.status() == 205
                || "0".equals(response.headers().first("content-length"));
        if (type == null) {
            if (successful && !withoutContent) {
                findings.contentTypeMissing();
            }
            return;
        }
        String[] parts = HeaderParser.split(type, ';').get(0).split("/", -1);
        if (parts.length != 2 || !HeaderParser.isToken(parts[0]) || !HeaderParser.isToken(parts[1])) {
            findings.contentTypeInvalid(type);
        }
    }

    /** Servers without a clock, and 1xx and 5xx responses, may omit the date. */
    private static void evaluateDate(HttpExchange response, Findings findings) {
        String date = response.headers().first("date");
        if (date == null) {
            if (response.status() < 500) {
                findings.dateMissing();
            }
            return;
        }
        try {
            DateTimeFormatter.RFC_1123_DATE_TIME.parse(date);
        } catch (DateTimeException malformed) {
            findings.dateInvalid(date);
        }
    }
}
