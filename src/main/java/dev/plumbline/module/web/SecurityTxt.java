package dev.plumbline.module.web;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import com.google.common.base.Strings;
import com.google.common.base.Utf8;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The security.txt file of a domain (RFC 9116). */
@AutoService(RegisteredModule.class)
public record SecurityTxt(WebPorts ports)
        implements CheckModule<SecurityTxt.Evidence, SecurityTxt.Report, SecurityTxt.Findings> {
    static final int MAX_BYTES = 100 * 1024;

    private static final String PATH = "/.well-known/security.txt";
    private static final String LEGACY_PATH = "/security.txt";
    private static final int MAX_REDIRECTS = 5;

    /** A year, with the extra day of a leap year. */
    private static final Duration YEAR = Duration.ofDays(366);

    private static final Duration EXAMPLE_VALIDITY = Duration.ofDays(360);
    private static final Pattern PLAIN_TEXT = Pattern.compile("text/plain *(;.*)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern UTF8 = Pattern.compile(".*;\\s*charset *= *\"?utf-?8\"?.*", Pattern.CASE_INSENSITIVE);

    public SecurityTxt() {
        this(WebPorts.STANDARD);
    }

    public record Report(
            boolean found,
            @Nullable String url,
            List<String> contacts,
            @Nullable Instant expires,
            boolean expired,
            boolean signed,
            @Nullable Boolean canonicalOk,
            List<String> errors) {}

    public interface Findings extends FindingCollector {
        void securityTxtMissing(int status, String example);

        void securityTxtUnavailable(Target.Url url, int status);

        void securityTxtIsAPage(Target.Url url);

        void notHttps(Target.Url url);

        void tooLarge();

        void contactMissing();

        void expiresMissing(String example);

        void expiresInvalid(String value, String example);

        void expiresSeveral(int count);

        void securityTxtExpired(Instant expires);

        void fileMalformed(List<String> errors);

        void canonicalMismatch(Target.Url url, List<String> canonicals);

        void securityTxtContentType(String type);

        void legacyLocation();

        void expiresFar(Instant expires);

        void signatureNotVerified();

        void signedWithoutCanonical();

        void charsetNotSet(String type);

        void unknownFields(Collection<String> names);

        void redirected(Target.Url url);
    }

    record Content(SecurityTxtFile file, boolean truncated, boolean utf8) {
        static Content of(HttpBody body) {
            return new Content(
                    SecurityTxtFile.parse(new String(body.shared(), StandardCharsets.UTF_8), body.truncated()),
                    body.truncated(),
                    body.truncated() || Utf8.isWellFormed(body.shared()));
        }
    }

    /**
     * @param legacy the response for the legacy location; null if it was not requested
     * @param content of the first response that contains a file; null if there is none or it cannot be decoded
     * @param contentError why the file cannot be decoded; null if it was
     * @param now the time of the check
     */
    public record Evidence(
            RedirectTrace wellKnown,
            @Nullable RedirectTrace legacy,
            @Nullable Content content,
            @Nullable CheckError contentError,
            Instant now) {

        static Evidence of(RedirectTrace wellKnown, @Nullable RedirectTrace legacy, Instant now) {
            HttpExchange file = Stream.of(wellKnown.page(), legacy == null ? null : legacy.page())
                    .filter(page -> page != null && isFile(page))
                    .findFirst()
                    .orElse(null);
            try {
                Content content = file == null ? null : Content.of(file.content(MAX_BYTES));
                return new Evidence(wellKnown, legacy, content, null, now);
            } catch (CheckFailure unreadable) {
                return new Evidence(wellKnown, legacy, null, unreadable.error(), now);
            }
        }
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String domain = target.text();
        Instant now = context.clock().instant();
        return fetch(context, domain, PATH)
                .compose(wellKnown -> wellKnown.page() == null || isFile(wellKnown.page())
                        ? context.executeBlocking(() -> Evidence.of(wellKnown, null, now))
                        : fetch(context.patiently(), domain, LEGACY_PATH)
                                .compose(legacy -> context.executeBlocking(() -> Evidence.of(wellKnown, legacy, now))));
    }

    private Future<RedirectTrace> fetch(CheckContext context, String domain, String path) {
        HttpRequestSpec request =
                HttpRequestSpec.get(ports.https(domain, path), MAX_BYTES).with("accept", "text/plain,*/*;q=0.1");
        return context.probe(HttpProbe.class).follow(context, request, MAX_REDIRECTS);
    }

    /** Whether the response contains a file, and not an error or a page. */
    private static boolean isFile(HttpExchange response) {
        String type =
                Strings.nullToEmpty(response.headers().first("content-type")).toLowerCase(Locale.ROOT);
        byte[] body = response.body().shared();
        int first = 0;
        while (first < body.length && body[first] <= ' ' && body[first] >= 0) {
            first++;
        }
        boolean markup = first < body.length && body[first] == '<';
        return response.status() / 100 == 2 && !type.contains("html") && !markup;
    }

    @Override
    public @Nullable Report evaluate(Evidence evidence, Options options, Findings findings) {
        HttpExchange first = evidence.wellKnown().page();
        RedirectTrace legacy = evidence.legacy();
        if (first == null || evidence.wellKnown().error() != null) {
            findings.error(evidence.wellKnown().error());
            return null;
        }
        if (isFile(first)) {
            return evaluateFile(evidence, evidence.wellKnown(), first, findings);
        }
        HttpExchange second = legacy == null ? null : legacy.page();
        if (legacy != null && (second == null || legacy.error() != null)) {
            findings.error(legacy.error());
            return null;
        }
        if (legacy != null && second != null && isFile(second)) {
            Report report = evaluateFile(evidence, legacy, second, findings);
            if (report != null) {
                findings.legacyLocation();
            }
            return report;
        }
        reportAbsence(first, second, exampleExpiry(evidence.now()), findings);
        return new Report(false, null, List.of(), null, false, false, null, List.of());
    }

    private static void reportAbsence(
            HttpExchange first, @Nullable HttpExchange second, String example, Findings findings) {
        if (!isConclusive(first)) {
            findings.securityTxtUnavailable(first.url(), first.status());
        } else if (second != null && !isConclusive(second)) {
            findings.securityTxtUnavailable(second.url(), second.status());
        } else if (first.status() / 100 == 2) {
            findings.securityTxtIsAPage(first.url());
        } else {
            findings.securityTxtMissing(first.status(), example);
        }
    }

    /** Whether the response shows that the file does not exist. */
    private static boolean isConclusive(HttpExchange response) {
        return response.status() / 100 == 2 || response.status() == 404 || response.status() == 410;
    }

    private static @Nullable Report evaluateFile(
            Evidence evidence, RedirectTrace trace, HttpExchange response, Findings findings) {
        Content content = evidence.content();
        if (content == null) {
            findings.error(evidence.contentError());
            return null;
        }
        SecurityTxtFile file = content.file();
        Instant now = evidence.now();
        Target.Url requested = trace.hops().get(0).url();
        Boolean canonical = file.canonicals().isEmpty()
                ? null
                : Boolean.valueOf(
                        isListed(requested, file.canonicals()) || isListed(response.url(), file.canonicals()));
        if (!response.url().secure() || trace.downgraded()) {
            findings.notHttps(response.url());
        }
        if (content.truncated()) {
            findings.tooLarge();
        } else {
            evaluateRequiredFields(file, exampleExpiry(now), findings);
        }
        Instant expires = file.expires();
        boolean expired = false;
        if (expires != null && !expires.isAfter(now)) {
            expired = true;
            findings.securityTxtExpired(expires);
        }
        List<String> errors = Stream.concat(
                        file.errors().stream(),
                        content.utf8()
                                ? Stream.empty()
                                : Stream.of("The file contains bytes that are not valid UTF-8."))
                .limit(SecurityTxtFile.MAX_ERRORS)
                .toList();
        reportIfAny(errors, findings::fileMalformed);
        if (Boolean.FALSE.equals(canonical)) {
            findings.canonicalMismatch(requested, file.canonicals());
        }
        evaluateContentType(response, findings);
        if (expires != null && expires.isAfter(now.plus(YEAR))) {
            findings.expiresFar(expires);
        }
        if (file.signed()) {
            findings.signatureNotVerified();
            if (file.canonicals().isEmpty()) {
                findings.signedWithoutCanonical();
            }
        }
        reportIfAny(file.unknownFields(), findings::unknownFields);
        if (trace.hops().size() > 1) {
            findings.redirected(response.url());
        }
        return new Report(
                true, response.url().text(), file.contacts(), expires, expired, file.signed(), canonical, errors);
    }

    private static void evaluateRequiredFields(SecurityTxtFile file, String example, Findings findings) {
        if (file.contacts().isEmpty()) {
            findings.contactMissing();
        }
        List<String> expires = file.expiresValues();
        if (expires.isEmpty()) {
            findings.expiresMissing(example);
        } else if (expires.size() > 1) {
            findings.expiresSeveral(expires.size());
        } else if (file.expires() == null) {
            findings.expiresInvalid(expires.get(0), example);
        }
    }

    /** A time within the recommended year. */
    private static String exampleExpiry(Instant now) {
        return now.truncatedTo(ChronoUnit.DAYS).plus(EXAMPLE_VALIDITY).toString();
    }

    private static void evaluateContentType(HttpExchange response, Findings findings) {
        String type = Objects.requireNonNullElse(response.headers().firstText("content-type"), "not set");
        if (!PLAIN_TEXT.matcher(type).matches()) {
            findings.securityTxtContentType(type);
        } else if (!UTF8.matcher(type).matches()) {
            findings.charsetNotSet(type);
        }
    }

    private static boolean isListed(Target.Url url, List<String> canonicals) {
        return canonicals.stream()
                .map(canonical -> TargetParser.tryUrl(canonical, "https", "http"))
                .anyMatch(url::equals);
    }
}
