package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.Finding;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.InputType;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.OptionDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.HttpTimings;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the time goes while a URL is fetched. */
@AutoService(ModuleDefinition.class)
public final class HttpTiming implements ModuleDefinition<HttpTiming.Evidence> {
    private static final String SAMPLES = "samples";
    private static final int READ_BYTES = 1024 * 1024;
    private static final double SLOW_DNS_MS = 300;
    private static final double SLOW_CONNECT_MS = 300;
    private static final double SLOW_TLS_MS = 500;
    private static final double SLOW_ANSWER_MS = 800;
    private static final double SLOW_ALL_MS = 3_000;
    private static final double NOTABLE_MS = 100;

    private static final FindingCode SLOW_DNS = slow(
            "slow_dns",
            "dns_ms",
            "It takes long to find the address of the host.",
            "Use name servers nearer to your visitors, fewer aliases, and a longer time to live.",
            "RFC 1034 section 3.6");
    private static final FindingCode SLOW_CONNECT = slow(
            "slow_connect",
            "connect_ms",
            "It takes long until the server takes up the connection.",
            "See whether the server is overloaded, or far away; a network of caches brings it nearer.",
            "RFC 9293 section 3.5");
    private static final FindingCode SLOW_TLS = slow(
            "slow_tls",
            "tls_ms",
            "It takes long to agree on encryption.",
            "Turn on TLS 1.3, which takes one round trip less, and send a short certificate chain.",
            "RFC 8446 section 2");
    private static final FindingCode SLOW_ANSWER = slow(
            "slow_answer",
            "ttfb_ms",
            "The server thinks for more than 0.8 seconds before it answers.",
            "See what keeps the server busy, and whether a cache could answer instead.",
            null);
    private static final FindingCode SLOW_ALL = slow(
            "slow_response",
            "total_ms",
            "The whole answer took longer than three seconds.",
            "Begin with the longest of the parts.",
            null);
    private static final FindingCode INCOMPLETE = new FindingCode(
            "samples_incomplete",
            Level.WARN,
            null,
            "Not all samples could be taken, because a later one failed.",
            "Check again, with fewer samples or more time.",
            null);
    private static final FindingCode VARIES = info(
            "times_vary",
            "total_ms",
            "The slowest sample took more than twice as long as the fastest.",
            "Take more samples before you draw conclusions.",
            null);
    private static final FindingCode REDIRECT = info(
            "redirect_measured",
            null,
            "The answer is a redirect; what was measured is the redirect, not the page behind it.",
            "Check the address that it leads to.",
            "RFC 9110 section 15.4");
    private static final FindingCode ERROR_PAGE = info(
            "error_page",
            null,
            "The answer is an error page; other pages may take longer or less.",
            "Check a page that is there.",
            "RFC 9110 section 15");
    private static final FindingCode CUT = info(
            "cut_short",
            "bytes",
            "The page is larger than 1 MiB; the rest was neither read nor measured.",
            "Keep in mind that it takes longer to its end.",
            null);

    private static final ModuleDescription DESCRIPTION = ModuleDescription.of(
                    "http-timing", "HTTP timing", InputType.URL)
            .summary("Fetches a URL and tells where the time goes: finding the address, connecting,"
                    + " agreeing on encryption, waiting for the answer, reading it.")
            .category("web")
            .example("https://example.com/", "https://example.com/page")
            .connects()
            .options(OptionDescription.integer(
                    SAMPLES,
                    "Samples",
                    "How often to fetch it, one after the other, each over a new connection; the one in"
                            + " the middle by its total time is reported.",
                    1,
                    1,
                    5))
            .fields(
                    FieldDescription.number(
                            "dns_ms",
                            "Finding the address",
                            "How long the look-up of the name took, in ms; next to nothing where our resolver"
                                    + " had just been asked."),
                    FieldDescription.number(
                            "connect_ms", "Connecting", "How long the TCP connection took to stand, in ms."),
                    FieldDescription.number(
                                    "tls_ms", "Encryption", "How long the TLS handshake took, in ms; null for http.")
                            .orNull(),
                    FieldDescription.number(
                            "ttfb_ms",
                            "Waiting",
                            "From sending the request to the head of the answer, in ms: the time to first byte"
                                    + " without what came before."),
                    FieldDescription.number("download_ms", "Reading", "From there to the end of the answer, in ms."),
                    FieldDescription.number("total_ms", "Total", "All of these together, in ms."),
                    FieldDescription.integer("bytes", "Size", "How many bytes of content were read, at most 1 MiB."),
                    FieldDescription.string("ip", "Address", "The IP address that answered."))
            .findings(
                    SLOW_DNS,
                    SLOW_CONNECT,
                    SLOW_TLS,
                    SLOW_ANSWER,
                    SLOW_ALL,
                    INCOMPLETE,
                    VARIES,
                    REDIRECT,
                    ERROR_PAGE,
                    CUT)
            .build();

    /**
     * What was seen.
     *
     * @param samples at least one, in the order in which they were taken
     * @param complete whether these are all that were wanted
     */
    public record Evidence(List<Sample> samples, boolean complete) {
        public Evidence {
            samples = List.copyOf(samples);
        }
    }

    /**
     * One fetch, without what was fetched: a page is only held, and counted, while it is read.
     *
     * @param bytes how many were read
     * @param cut whether there was more to read
     */
    public record Sample(
            HttpTimings timings,
            int status,
            boolean redirects,
            int bytes,
            boolean cut,
            String ip,
            @Nullable CheckError bodyError) {

        static Sample of(HttpExchange fetched) {
            return new Sample(
                    fetched.timings(),
                    fetched.status(),
                    fetched.redirects(),
                    fetched.body().size(),
                    fetched.body().truncated(),
                    fetched.ip(),
                    fetched.bodyError());
        }
    }

    @Override
    public ModuleDescription description() {
        return DESCRIPTION;
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        HttpRequestSpec call = HttpRequestSpec.get((Target.Url) target, READ_BYTES);
        int wanted = (int) context.options().integer(SAMPLES);
        return context.probe(HttpProbe.class)
                .exchange(context, call)
                .compose(first -> more(context, call, List.of(Sample.of(first)), wanted));
    }

    private static Future<Evidence> more(CheckContext context, HttpRequestSpec call, List<Sample> taken, int wanted) {
        if (taken.size() == wanted || taken.get(0).bodyError() != null) {
            return Future.succeededFuture(new Evidence(taken, taken.size() == wanted));
        }
        return context.probe(HttpProbe.class).exchange(context, call).transform(outcome -> {
            if (outcome.failed() && !(outcome.cause() instanceof CheckFailure)) {
                return Future.failedFuture(outcome.cause());
            }
            if (outcome.failed() || outcome.result().bodyError() != null) {
                return Future.succeededFuture(new Evidence(taken, false));
            }
            List<Sample> all = new ArrayList<>(taken);
            all.add(Sample.of(outcome.result()));
            return more(context, call, all, wanted);
        });
    }

    @Override
    public Evaluation evaluate(Evidence evidence, Options options) {
        List<Sample> sorted = evidence.samples().stream()
                .sorted(Comparator.comparingDouble(HttpTiming::total))
                .toList();
        Sample sample = sorted.get((sorted.size() - 1) / 2);
        HttpTimings times = sample.timings();
        Double tls = times.tlsMs();
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("dns_ms", times.dnsMs());
        fields.put("connect_ms", times.connectMs());
        fields.put("tls_ms", tls);
        fields.put("ttfb_ms", times.ttfbMs());
        fields.put("download_ms", times.downloadMs());
        fields.put("total_ms", total(sample));
        fields.put("bytes", sample.bytes());
        fields.put("ip", sample.ip());

        List<Finding> found = new ArrayList<>();
        slower(found, SLOW_DNS, times.dnsMs(), SLOW_DNS_MS);
        slower(found, SLOW_CONNECT, times.connectMs(), SLOW_CONNECT_MS);
        slower(found, SLOW_TLS, tls == null ? 0 : tls, SLOW_TLS_MS);
        slower(found, SLOW_ANSWER, times.ttfbMs(), SLOW_ANSWER_MS);
        slower(found, SLOW_ALL, total(sample), SLOW_ALL_MS);
        if (!evidence.complete()) {
            found.add(INCOMPLETE.found());
        }
        double fastest = total(sorted.get(0));
        double slowest = total(sorted.get(sorted.size() - 1));
        if (slowest > 2 * fastest && slowest > fastest + NOTABLE_MS) {
            found.add(VARIES.found(
                    "The samples took between " + Math.round(fastest) + " and " + Math.round(slowest) + " ms."));
        }
        if (sample.redirects()) {
            found.add(REDIRECT.found());
        } else if (sample.status() >= 400) {
            found.add(ERROR_PAGE.found());
        }
        if (sample.bodyError() == null && sample.cut()) {
            found.add(CUT.found());
        }
        return new Evaluation(fields, found, sample.bodyError());
    }

    /** Without the time that the check had to wait for its turn. */
    private static double total(Sample sample) {
        HttpTimings times = sample.timings();
        Double tls = times.tlsMs();
        double sum = times.dnsMs() + times.connectMs() + (tls == null ? 0 : tls) + times.ttfbMs() + times.downloadMs();
        return Math.round(sum * 1_000) / 1_000.0;
    }

    private static void slower(List<Finding> found, FindingCode code, double ms, double limit) {
        if (ms > limit) {
            found.add(code.found(code.message() + " (" + Math.round(ms) + " ms)"));
        }
    }

    private static FindingCode slow(
            String code, String field, String message, String action, @Nullable String reference) {
        return new FindingCode(code, Level.WARN, field, message, action, reference);
    }

    private static FindingCode info(
            String code, @Nullable String field, String message, String action, @Nullable String reference) {
        return new FindingCode(code, Level.INFO, field, message, action, reference);
    }
}
