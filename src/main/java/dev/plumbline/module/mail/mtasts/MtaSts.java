package dev.plumbline.module.mail.mtasts;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.mail.mtasts.MtaStsLookup.PolicyResponse;
import dev.plumbline.module.mail.mtasts.MtaStsPolicy.Mode;
import dev.plumbline.module.mail.record.MailHosts;
import dev.plumbline.module.mail.record.TagList;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/** The MTA-STS policy of a domain, which requires TLS for mail to its servers (RFC 8461). */
@AutoService(RegisteredModule.class)
public final class MtaSts implements CheckModule<MtaSts.Evidence, MtaSts.Report, MtaSts.Findings> {
    private static final int MAX_ERROR_FINDINGS = 5;
    private static final int WEEK = 7 * 24 * 3600;

    /** The MX hosts to which the check connects, as in the module {@code mx}. */
    private static final int MAX_CONNECTIONS = 4;

    private final int port;

    public MtaSts() {
        this(MtaStsLookup.HTTPS_PORT);
    }

    MtaSts(int port) {
        this.port = port;
    }

    public record Report(
            @Nullable String id,
            @Nullable Mode mode,
            @Nullable Integer maxAge,
            List<String> mxPatterns,
            @Nullable Boolean mxMatch,
            @Nullable Boolean mxTls,
            @Nullable Integer policyStatus,
            List<String> errors) {}

    public interface Findings extends FindingCollector {
        void mtaStsMissing(String domain);

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

        void mxTlsInvalid(String host, String problem);

        void mxTlsInvalidTesting(String host, String problem);

        void mxTlsUnknown(String host, String reason);
    }

    /** @param servers the MX hosts that the policy permits, if senders apply it */
    record Evidence(String domain, MtaStsLookup sts, MailHosts hosts, List<MailServerTls> servers) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String text = target.text();
        String domain = text.startsWith(MtaStsLookup.PREFIX) ? text.substring(MtaStsLookup.PREFIX.length()) : text;
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<Void> admission = dns.admit(context, domain);
        Future<List<String>> response = MtaStsLookup.texts(context, domain);
        return admission.compose(admitted -> response).compose(texts -> dns.query(context, domain, Type.A)
                .compose(a -> texts.isEmpty() ? DnsProbe.requireName(a) : Future.succeededFuture(a))
                .compose(exists -> MailHosts.lookup(context, domain))
                .compose(hosts -> MtaStsLookup.fetch(context, domain, port, texts)
                        .compose(sts -> testServers(context.patiently(), domain, sts, hosts))));
    }

    private static Future<Evidence> testServers(
            CheckContext context, String domain, MtaStsLookup sts, MailHosts hosts) {
        MtaStsPolicy policy = sts.applied();
        if (policy == null || policy.mode() == Mode.NONE || !hosts.known()) {
            return Future.succeededFuture(new Evidence(domain, sts, hosts, List.of()));
        }
        Set<String> patterns = new HashSet<>(policy.mxPatterns());
        List<String> permitted = hosts.names().stream()
                .filter(host -> MtaStsPolicy.matches(patterns, host))
                .limit(MAX_CONNECTIONS)
                .toList();
        return MailServerTls.test(context, permitted).map(servers -> new Evidence(domain, sts, hosts, servers));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        String domain = evidence.domain();
        MtaStsLookup sts = evidence.sts();
        PolicyResponse response = sts.response();
        if (sts.lookalike() != null) {
            findings.lookalike(sts.lookalike());
        }
        List<String> errors = new ArrayList<>();
        int count = sts.records().size();
        String id = null;
        if (count == 1) {
            id = evaluateRecord(TagList.parse(sts.records().get(0)), errors, findings);
        } else if (count > 1) {
            errors.add(count + " MTA-STS records are published.");
            findings.severalRecords(count, domain);
        }
        MtaStsPolicy policy = null;
        if (count == 0) {
            policy = servedPolicy(response);
            reportAbsence(evidence, policy, findings);
        } else if (sts.error() != null) {
            reportFailure(sts.error(), domain, errors, findings);
        } else if (response != null) {
            evaluateResponse(response, domain, errors, findings);
            policy = response.policy();
            if (policy != null) {
                evaluatePolicy(policy, findings);
            }
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
                policy == null ? null : evaluateServers(policy, evidence.servers(), findings),
                response == null ? null : response.status(),
                errors);
    }

    private static @Nullable String evaluateRecord(TagList tags, List<String> errors, Findings findings) {
        List<String> faults = new ArrayList<>(tags.errors());
        String id = tags.get("id");
        boolean valid = MtaStsLookup.isValidId(id);
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
            findings.mtaStsMissing(evidence.domain());
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

    private static void evaluateResponse(
            PolicyResponse response, String domain, List<String> errors, Findings findings) {
        if (response.status() / 100 == 3) {
            errors.add("The policy URL redirects, and senders do not follow redirects.");
            findings.policyRedirected(
                    response.status(), Objects.requireNonNullElse(response.location(), "an unknown location"));
            return;
        }
        if (response.status() != 200) {
            errors.add("The policy URL returns status " + response.status() + ".");
            findings.policyStatusInvalid(response.status(), domain);
            return;
        }
        if (!response.plainText()) {
            errors.add("The Content-Type of the policy is not text/plain.");
            findings.policyContentType(Objects.requireNonNullElse(response.contentType(), "not set"));
        }
        if (response.truncated()) {
            errors.add("The policy is larger than 64 KiB.");
            findings.policyTooLarge();
        } else if (response.text() == null) {
            errors.add("The policy has an unsupported Content-Encoding.");
            findings.policyUnavailable(domain, "The response body cannot be decoded.");
        }
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

    /** Whether all tested servers have TLS with a valid certificate; null if that is unknown. */
    private static @Nullable Boolean evaluateServers(
            MtaStsPolicy policy, List<MailServerTls> servers, Findings findings) {
        for (MailServerTls server : servers) {
            if (server.unknown() != null) {
                findings.mxTlsUnknown(server.host(), server.unknown());
            } else if (server.problem() != null && policy.mode() == Mode.ENFORCE) {
                findings.mxTlsInvalid(server.host(), server.problem());
            } else if (server.problem() != null) {
                findings.mxTlsInvalidTesting(server.host(), server.problem());
            }
        }
        if (servers.stream().anyMatch(server -> server.problem() != null)) {
            return false;
        }
        return servers.isEmpty() || servers.stream().anyMatch(server -> server.unknown() != null) ? null : true;
    }
}
