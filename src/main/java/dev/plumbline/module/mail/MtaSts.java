package dev.plumbline.module.mail;

import static dev.plumbline.check.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.FindingCollector;
import dev.plumbline.check.Host;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.module.mail.MtaStsPolicy.Mode;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/** The MTA-STS policy of a domain, which requires TLS for mail to its servers (RFC 8461). */
@AutoService(CheckModule.class)
public final class MtaSts implements CheckModule<MtaSts.Evidence, MtaSts.Report, MtaSts.Findings> {
    /** The limit that RFC 8461 section 3.3 recommends to senders. */
    static final int MAX_BYTES = 64 * 1024;

    private static final String PREFIX = "_mta-sts.";
    private static final String PATH = "/.well-known/mta-sts.txt";
    private static final String VERSION = "v=STSv1;";
    private static final int MAX_ERROR_FINDINGS = 5;
    private static final long OPTIONAL_MS = 2_000;
    private static final int WEEK = 7 * 24 * 3600;
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9]{1,32}");
    private static final Pattern SIMILAR = Pattern.compile("(?is)\\W{0,8}v\\s{0,8}=\\s{0,8}(mta-?)?sts.*");
    private static final Pattern PLAIN_TEXT = Pattern.compile("(?i)text/plain[ \\t]*+(;.*)?");

    private final int port;

    public MtaSts() {
        this(443);
    }

    MtaSts(int port) {
        this.port = port;
    }

    /** The fields of the report. */
    public record Report(
            @Nullable String id,
            @Nullable Mode mode,
            @Nullable Integer maxAge,
            List<String> mxPatterns,
            @Nullable Boolean mxMatch,
            @Nullable Integer policyStatus,
            List<String> errors) {}

    /** The findings. */
    public interface Findings extends FindingCollector {
        void noRecord(String domain);

        void notRequired(String domain);

        void severalRecords(int count, String domain);

        void lookalike(String text);

        void recordInvalid(String error);

        void unknownTag(List<String> tags);

        void policyWithoutRecord(String domain);

        void policyHostMissing(String domain);

        void policyUnavailable(String domain, String reason);

        void policyCertificateInvalid(String domain, String reason);

        void policyRedirected(int status, String location);

        void policyStatusInvalid(int status, String domain);

        void policyContentType(String type);

        void policyTooLarge();

        void policyInvalid(Collection<String> errors);

        void policyFieldRepeated(Collection<String> names);

        void policyFieldUnknown(Collection<String> names);

        void modeTesting();

        void modeNone();

        void maxAgeShort(int seconds);

        void mxNotCovered(List<String> hosts);

        void mxNotCoveredTesting(List<String> hosts);

        void mxPatternUnused(List<String> patterns);

        void mxUnknown(String domain);
    }

    /**
     * The response of the policy host.
     *
     * @param location the target of a redirect; null if there is none
     * @param text the body; null if it cannot be decoded
     * @param truncated whether the body exceeds {@link #MAX_BYTES}
     */
    record PolicyResponse(
            int status,
            @Nullable String location,
            @Nullable String contentType,
            @Nullable String text,
            boolean truncated) {

        static PolicyResponse of(HttpExchange exchange) {
            HttpBody body = exchange.decoded(MAX_BYTES);
            return new PolicyResponse(
                    exchange.status(),
                    exchange.headers().firstText("location"),
                    exchange.headers().firstText("content-type"),
                    body.unreadable() ? null : new String(body.shared(), StandardCharsets.UTF_8),
                    body.truncated());
        }
    }

    /**
     * @param records the texts with the version of an MTA-STS record
     * @param lookalike a text that resembles an MTA-STS record but is not one, null if there is none
     * @param response null if there is an error
     * @param error why no response was received, or why it is incomplete
     */
    public record Evidence(
            String domain,
            List<String> records,
            @Nullable String lookalike,
            MailHosts hosts,
            @Nullable PolicyResponse response,
            @Nullable CheckError error) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String text = target.text();
        String domain = text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text;
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<Void> admission = dns.admit(context, domain);
        Future<DnsResponse> response = dns.query(context, PREFIX + domain, Type.TXT);
        return admission.compose(admitted -> response).map(DnsResponse::texts).compose(texts -> dns.query(
                        context, domain, Type.A)
                .compose(a -> texts.isEmpty() ? DnsProbe.requireName(a) : Future.succeededFuture(a))
                .compose(exists -> MailHosts.lookup(context, domain))
                .compose(hosts -> fetch(context, domain, texts, hosts)));
    }

    private Future<Evidence> fetch(CheckContext context, String domain, List<String> texts, MailHosts hosts) {
        List<String> records =
                texts.stream().filter(text -> text.startsWith(VERSION)).toList();
        String lookalike = texts.stream().filter(MtaSts::resembles).findFirst().orElse(null);
        Target.Url url = new Target.Url("https", new Host("mta-sts." + domain, null), port, PATH);
        HttpRequestSpec request = HttpRequestSpec.get(url, MAX_BYTES).with("accept", "text/plain");
        // Without a record, senders do not request the policy, so the result does not depend on it.
        boolean optional = records.isEmpty();
        CheckContext share = optional ? context.within(context.deadline().atMost(OPTIONAL_MS)) : context;
        return context.probe(HttpProbe.class)
                .exchange(share, request)
                .compose(exchange -> context.executeBlocking(() -> new Evidence(
                        domain, records, lookalike, hosts, PolicyResponse.of(exchange), exchange.bodyError())))
                .recover(cause -> cause instanceof CheckFailure failure
                                && failure.error().code() != ErrorCode.DEADLINE_EXCEEDED
                        ? Future.succeededFuture(new Evidence(domain, records, lookalike, hosts, null, failure.error()))
                        : Future.failedFuture(cause));
    }

    static boolean resembles(String text) {
        return SIMILAR.matcher(text).matches() && !text.startsWith(VERSION);
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        String domain = evidence.domain();
        PolicyResponse response = evidence.response();
        if (evidence.lookalike() != null) {
            findings.lookalike(evidence.lookalike());
        }
        List<String> errors = new ArrayList<>();
        int count = evidence.records().size();
        String id = null;
        if (count == 1) {
            id = evaluateRecord(TagList.parse(evidence.records().get(0)), errors, findings);
        } else if (count > 1) {
            errors.add(count + " MTA-STS records are published.");
            findings.severalRecords(count, domain);
        }
        MtaStsPolicy policy = null;
        if (count == 0) {
            policy = servedPolicy(response);
            reportAbsence(evidence, policy, findings);
        } else if (evidence.error() != null) {
            reportFailure(evidence.error(), domain, errors, findings);
        } else if (response != null && evaluateResponse(response, domain, errors, findings)) {
            policy = MtaStsPolicy.parse(Objects.requireNonNull(response.text()));
            evaluatePolicy(policy, findings);
        }
        Boolean mxMatch = null;
        if (policy != null) {
            errors.addAll(policy.errors());
            mxMatch = count == 0 ? null : evaluateHosts(policy, evidence, findings);
        }
        return new Report(
                id,
                policy == null ? null : policy.mode(),
                policy == null ? null : policy.maxAge(),
                policy == null ? List.of() : policy.mxPatterns(),
                mxMatch,
                response == null ? null : response.status(),
                errors);
    }

    private static @Nullable String evaluateRecord(TagList tags, List<String> errors, Findings findings) {
        List<String> faults = new ArrayList<>(tags.errors());
        String id = tags.get("id");
        boolean valid = id != null && ID.matcher(id).matches();
        if (id == null) {
            faults.add("The record does not contain the tag id.");
        } else if (!valid) {
            faults.add("The id is " + TagList.quote(id) + ", but must be 1 to 32 letters and digits.");
        }
        faults.stream().limit(MAX_ERROR_FINDINGS).forEach(findings::recordInvalid);
        errors.addAll(faults);
        reportIfAny(tags.except("v", "id"), findings::unknownTag);
        return valid ? id : null;
    }

    /** A policy that is served without a record; null if there is none. */
    private static @Nullable MtaStsPolicy servedPolicy(@Nullable PolicyResponse response) {
        String text = response == null || response.status() != 200 || response.truncated() ? null : response.text();
        return text != null && MtaStsPolicy.resembles(text) ? MtaStsPolicy.parse(text) : null;
    }

    private static void reportAbsence(Evidence evidence, @Nullable MtaStsPolicy policy, Findings findings) {
        if (policy != null) {
            findings.policyWithoutRecord(evidence.domain());
        } else if (evidence.hosts().nullMx()) {
            findings.notRequired(evidence.domain());
        } else {
            findings.noRecord(evidence.domain());
        }
    }

    private static void reportFailure(CheckError error, String domain, List<String> errors, Findings findings) {
        if (!error.code().targetFault()) {
            findings.error(error);
            return;
        }
        errors.add("The policy cannot be retrieved: " + error.message());
        switch (error.code()) {
            case DNS_NXDOMAIN, DNS_NO_DATA -> findings.policyHostMissing(domain);
            case TLS_UNTRUSTED -> findings.policyCertificateInvalid(domain, error.message());
            default -> findings.policyUnavailable(domain, error.message());
        }
    }

    /** Whether the response contains a policy. */
    private static boolean evaluateResponse(
            PolicyResponse response, String domain, List<String> errors, Findings findings) {
        if (response.status() / 100 == 3) {
            errors.add("The policy URL redirects, and senders do not follow redirects.");
            findings.policyRedirected(
                    response.status(), Objects.requireNonNullElse(response.location(), "an unknown location"));
            return false;
        }
        if (response.status() != 200) {
            errors.add("The policy URL returns status " + response.status() + ".");
            findings.policyStatusInvalid(response.status(), domain);
            return false;
        }
        String type = Objects.requireNonNullElse(response.contentType(), "not set");
        boolean plain = PLAIN_TEXT.matcher(type).matches();
        if (!plain) {
            errors.add("The Content-Type of the policy is not text/plain.");
            findings.policyContentType(type);
        }
        if (response.truncated()) {
            errors.add("The policy is larger than 64 KiB.");
            findings.policyTooLarge();
            return false;
        }
        if (response.text() == null) {
            errors.add("The policy has an unsupported Content-Encoding.");
            findings.policyUnavailable(domain, "The response body cannot be decoded.");
            return false;
        }
        return plain || MtaStsPolicy.resembles(response.text());
    }

    private static void evaluatePolicy(MtaStsPolicy policy, Findings findings) {
        reportIfAny(policy.errors(), findings::policyInvalid);
        if (policy.mode() == Mode.TESTING) {
            findings.modeTesting();
        } else if (policy.mode() == Mode.NONE) {
            findings.modeNone();
        } else if (policy.maxAge() != null && policy.maxAge() < WEEK) {
            findings.maxAgeShort(policy.maxAge());
        }
        reportIfAny(policy.repeated(), findings::policyFieldRepeated);
        reportIfAny(policy.unknown(), findings::policyFieldUnknown);
    }

    /** Whether all mail servers match a pattern; null if that cannot be determined. */
    private static @Nullable Boolean evaluateHosts(MtaStsPolicy policy, Evidence evidence, Findings findings) {
        MailHosts hosts = evidence.hosts();
        if (policy.mode() == null
                || policy.mode() == Mode.NONE
                || policy.mxPatterns().isEmpty()) {
            return null;
        }
        if (!hosts.known()) {
            findings.mxUnknown(evidence.domain());
            return null;
        }
        if (hosts.names().isEmpty()) {
            return null;
        }
        Set<String> patterns = new HashSet<>(policy.mxPatterns());
        List<String> uncovered = hosts.names().stream()
                .filter(host -> !MtaStsPolicy.matches(patterns, host))
                .toList();
        if (policy.mode() == Mode.ENFORCE) {
            reportIfAny(uncovered, findings::mxNotCovered);
        } else {
            reportIfAny(uncovered, findings::mxNotCoveredTesting);
        }
        hosts.names().forEach(host -> MtaStsPolicy.patternsFor(host).forEach(patterns::remove));
        reportIfAny(policy.mxPatterns().stream().filter(patterns::contains).toList(), findings::mxPatternUnused);
        return uncovered.isEmpty();
    }
}
