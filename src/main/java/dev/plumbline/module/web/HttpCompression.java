package dev.plumbline.module.web;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.budget.CpuPool;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The content codings of a page, each requested separately, and how much they save. */
@AutoService(RegisteredModule.class)
public final class HttpCompression
        implements CheckModule<HttpCompression.Evidence, HttpCompression.Report, HttpCompression.Findings> {
    private static final int MAX_BYTES = 2 * 1024 * 1024;

    /** Smaller responses fit into one packet. */
    private static final int MIN_BYTES = 1_024;

    /** The codings to request, and their names in findings and fields. */
    private static final List<String> CODINGS = List.of("gzip", "br", "zstd", "deflate");

    private static final List<String> MODERN = List.of("br", "zstd");

    /** Types whose content is not compressed already. */
    private static final Pattern COMPRESSIBLE = Pattern.compile(
            "text/.*|application/(json|javascript|x-javascript|xml|wasm|manifest|rtf|x-ndjson|vnd\\.ms-fontobject)"
                    + "|[^;]*\\+(json|xml|text)|image/(svg|bmp|x-icon|vnd\\.microsoft\\.icon).*|font/(ttf|otf|collection)"
                    + "|application/(x-)?font-(ttf|otf)");

    /** The fields of the report. In a result with an error, identityBytes, bestBytes and savingPercent can be null. */
    public record Report(
            boolean gzip,
            boolean br,
            boolean zstd,
            boolean deflate,
            @NullOnError Integer identityBytes,
            @Nullable String bestEncoding,
            @NullOnError Integer bestBytes,
            @NullOnError Double savingPercent,
            boolean varyOk) {}

    public interface Findings extends FindingCollector {
        void compressionMissing(int bytes);

        void notCompressible(String type);

        void smallResponse(int bytes);

        void modernEncodingMissing(String best);

        void varyMissing(List<String> codings);

        void encodingMalformed(List<String> codings);

        void contentDiffers(List<String> codings);

        void contentDynamic();

        void encodingNotRequested(List<String> requested, String sent);

        void statusDiffers(List<String> codings, int status, int expected);

        void compressionLarger(List<String> codings);

        void redirected(Target.Url url);

        void errorPage(int status);
    }

    /**
     * @param url the page
     * @param redirected whether redirects led to the page
     * @param identity the response without content coding; null if there is none
     * @param encoded the responses to requests for each coding
     * @param stable whether two responses without content coding were equal; null if that was not tested
     * @param error why there is no response
     */
    public record Evidence(
            Target.Url url,
            boolean redirected,
            @Nullable ContentSample identity,
            Map<String, ContentSample> encoded,
            @Nullable Boolean stable,
            @Nullable CheckError error) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        HttpRequestSpec request =
                HttpRequestSpec.get((Target.Url) target, MAX_BYTES).withoutRedirectBodies();
        return context.probe(HttpProbe.class)
                .follow(context, request, HttpProbe.PAGE_REDIRECTS)
                .compose(trace -> {
                    HttpExchange page = trace.page();
                    boolean redirected = trace.hops().size() > 1;
                    return page == null || trace.error() != null
                            ? Future.succeededFuture(
                                    new Evidence(trace.url(), redirected, null, Map.of(), null, trace.error()))
                            : collect(context.patiently(), request.to(page.url()), page, redirected);
                });
    }

    private static Future<Evidence> collect(
            CheckContext context, HttpRequestSpec request, HttpExchange page, boolean redirected) {
        // The requests for codings are sent without Via, so not to a service that detected a loop.
        // With Via, nginx does not compress responses (gzip_proxied off).
        List<String> codings = page.status() >= 400 ? List.of() : CODINGS;
        return sample(context, page).compose(identity -> {
            List<Future<ContentSample>> samples = codings.stream()
                    .map(coding -> request.with("accept-encoding", coding))
                    .map(encoded ->
                            sample(context, context.probe(HttpProbe.class).exchange(context, encoded)))
                    .toList();
            return Future.join(samples).compose(done -> {
                Map<String, ContentSample> encoded = new LinkedHashMap<>();
                for (int i = 0; i < samples.size(); i++) {
                    encoded.put(codings.get(i), samples.get(i).result());
                }
                return isStable(context, request, identity, encoded)
                        .map(stable ->
                                new Evidence(request.url(), redirected, identity, encoded, stable.orElse(null), null));
            });
        });
    }

    /** Requests the page again if the content of a response differs; empty if that is not necessary. */
    private static Future<Optional<Boolean>> isStable(
            CheckContext context, HttpRequestSpec request, ContentSample identity, Map<String, ContentSample> encoded) {
        return encoded.values().stream().noneMatch(sample -> sample.differsFrom(identity))
                ? Future.succeededFuture(Optional.empty())
                : sample(context, context.probe(HttpProbe.class).send(context, request))
                        .map(again -> Optional.of(!again.differsFrom(identity)));
    }

    private static Future<ContentSample> sample(CheckContext context, Future<HttpExchange> exchange) {
        return exchange.compose(response -> sample(context, response));
    }

    /** Fails if the body is incomplete. */
    private static Future<ContentSample> sample(CheckContext context, HttpExchange response) {
        CheckError error = response.bodyError();
        return error != null
                ? Future.failedFuture(new CheckFailure(error.code(), error.message()))
                : context.executeBlocking(CpuPool.Purpose.DECODING, () -> ContentSample.of(response, MAX_BYTES))
                        .onComplete(
                                done -> context.memory().release(response.body().size()));
    }

    @Override
    public @Nullable Report evaluate(Evidence evidence, Options options, Findings findings) {
        ContentSample identity = evidence.identity();
        findings.error(evidence.error());
        if (identity == null) {
            return null;
        }
        Map<String, ContentSample> supported = new LinkedHashMap<>();
        evidence.encoded().forEach((coding, sample) -> {
            if (sample.status() == identity.status() && sample.coding().equals(coding) && sample.readable()) {
                supported.put(coding, sample);
            }
        });
        reportUnexpected(identity, evidence.encoded(), findings);
        boolean varyOk = reportVary(identity, supported, findings);
        reportDifferences(evidence, identity, supported, findings);
        if (evidence.redirected()) {
            findings.redirected(evidence.url());
        }
        if (identity.status() >= 400) {
            findings.errorPage(identity.status());
        }
        boolean complete = identity.complete() && identity.readable();
        if (!identity.readable()) {
            findings.error(new CheckError(
                    ErrorCode.HTTP_PROTOCOL_ERROR, "The response without compression cannot be decoded."));
        } else if (!complete) {
            findings.error(new CheckError(ErrorCode.RESPONSE_TOO_LARGE, "The response exceeds 2 MiB."));
        }
        int bytes = identity.decodedBytes();
        String best = complete ? best(supported, bytes) : null;
        Integer bestBytes = !complete ? null : Integer.valueOf(best == null ? bytes : bytes(supported, best));
        if (complete && identity.status() < 400) {
            boolean attempted = evidence.encoded().values().stream()
                    .anyMatch(sample -> !sample.coding().isEmpty());
            reportSizes(evidence.url(), identity, attempted, supported, best, findings);
        }
        return new Report(
                supported.containsKey("gzip"),
                supported.containsKey("br"),
                supported.containsKey("zstd"),
                supported.containsKey("deflate"),
                complete ? bytes : null,
                best,
                bestBytes,
                bestBytes == null ? null : bytes == 0 ? 0 : Math.round(1_000.0 * (bytes - bestBytes) / bytes) / 10.0,
                varyOk);
    }

    private static void reportUnexpected(
            ContentSample identity, Map<String, ContentSample> encoded, Findings findings) {
        List<String> malformed = new ArrayList<>();
        Map<Integer, List<String>> statuses = new LinkedHashMap<>();
        Map<String, List<String>> unrequested = new LinkedHashMap<>();
        if (!identity.coding().isEmpty()) {
            unrequested.put(identity.coding(), new ArrayList<>(List.of("identity")));
        }
        encoded.forEach((coding, sample) -> {
            if (sample.status() != identity.status()) {
                statuses.computeIfAbsent(sample.status(), status -> new ArrayList<>())
                        .add(coding);
            } else if (!sample.coding().isEmpty() && !sample.coding().equals(coding)) {
                unrequested
                        .computeIfAbsent(sample.coding(), sent -> new ArrayList<>())
                        .add(coding);
            } else if (!sample.readable()) {
                malformed.add(coding);
            }
        });
        reportIfAny(malformed, findings::encodingMalformed);
        statuses.forEach((status, codings) -> findings.statusDiffers(codings, status, identity.status()));
        unrequested.forEach((sent, requested) -> findings.encodingNotRequested(requested, sent));
    }

    private static boolean reportVary(ContentSample identity, Map<String, ContentSample> supported, Findings findings) {
        if (supported.isEmpty()) {
            return true;
        }
        List<String> missing = new ArrayList<>();
        if (!identity.varies()) {
            missing.add("identity");
        }
        supported.forEach((coding, sample) -> {
            if (!sample.varies()) {
                missing.add(coding);
            }
        });
        reportIfAny(missing, findings::varyMissing);
        return missing.isEmpty();
    }

    private static void reportDifferences(
            Evidence evidence, ContentSample identity, Map<String, ContentSample> supported, Findings findings) {
        List<String> different = supported.keySet().stream()
                .filter(coding -> Objects.requireNonNull(supported.get(coding)).differsFrom(identity))
                .toList();
        if (!different.isEmpty() && Boolean.TRUE.equals(evidence.stable())) {
            findings.contentDiffers(different);
        } else if (!different.isEmpty()) {
            findings.contentDynamic();
        }
    }

    private static @Nullable String best(Map<String, ContentSample> supported, int identityBytes) {
        return supported.keySet().stream()
                .filter(coding -> bytes(supported, coding) < identityBytes)
                .min(Comparator.comparingInt(coding -> bytes(supported, coding)))
                .orElse(null);
    }

    private static int bytes(Map<String, ContentSample> supported, String coding) {
        return Objects.requireNonNull(supported.get(coding)).bytes();
    }

    private static void reportSizes(
            Target.Url url,
            ContentSample identity,
            boolean attempted,
            Map<String, ContentSample> supported,
            @Nullable String best,
            Findings findings) {
        int bytes = identity.decodedBytes();
        String type = identity.contentType();
        boolean compressible = type.isEmpty() || COMPRESSIBLE.matcher(type).matches();
        boolean worthwhile = compressible && bytes >= MIN_BYTES;
        if (!attempted && identity.coding().isEmpty()) {
            if (worthwhile) {
                findings.compressionMissing(bytes);
            } else if (compressible) {
                findings.smallResponse(bytes);
            } else {
                findings.notCompressible(type);
            }
        } else if (worthwhile && url.secure() && best != null && MODERN.stream().noneMatch(supported::containsKey)) {
            findings.modernEncodingMissing(best);
        }
        reportIfAny(
                supported.keySet().stream()
                        .filter(coding -> bytes > 0 && bytes(supported, coding) >= bytes)
                        .toList(),
                findings::compressionLarger);
    }
}
