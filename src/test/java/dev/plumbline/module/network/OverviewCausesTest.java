package dev.plumbline.module.network;

import static dev.plumbline.module.network.OverviewTest.causes;
import static dev.plumbline.module.network.OverviewTest.evaluate;
import static dev.plumbline.module.network.OverviewTest.part;
import static dev.plumbline.module.network.OverviewTest.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.PartResult;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The problems of parts that are effects of others. */
class OverviewCausesTest {
    private static final CheckError REFUSED =
            new CheckError(ErrorCode.CONNECT_REFUSED, "Connection refused by 192.0.2.1:443.");
    private static final CheckError SERVFAIL =
            new CheckError(ErrorCode.DNS_SERVFAIL, "The DNS resolver returned SERVFAIL.");
    private static final CheckError NO_ADDRESS =
            new CheckError(ErrorCode.DNS_NO_DATA, "mail.example.net does not have an address.");

    private static Finding failure(String code, String message) {
        return new Finding(Level.FAIL, code, null, message, "", null);
    }

    private static PartResult found(String module, String code, String message) {
        return result(part(module), Verdict.FAIL, List.of(failure(code, message)), null);
    }

    private static PartResult ended(String module, Verdict verdict, CheckError error) {
        return result(part(module), verdict, List.of(), error);
    }

    /** A part about the mail server, which is in another domain than the mail address. */
    private static PartResult ofMailServer(String module, Verdict verdict, List<Finding> findings, CheckError error) {
        CheckResult result = new CheckResult(
                module, null, "mail.example.net", verdict, Map.of(), findings, List.of(), error, Instant.EPOCH, 84);
        return new PartResult(part(module), "mail.example.net", result, null);
    }

    private static List<String> codes(Evaluation evaluation) {
        return causes(evaluation, "causes").stream()
                .map(cause -> cause.get("module") + "/" + cause.get("code"))
                .toList();
    }

    @Test
    void anErrorExplainsTheFindingsOfItsAreaWithItsMessage() {
        Evaluation evaluation = evaluate(
                ended("http-status", Verdict.FAIL, REFUSED),
                found("https-redirect", "redirects_broken", "The redirects end at a URL. " + REFUSED.message()),
                found("hsts", "https_unavailable", "HSTS cannot be used. " + REFUSED.message()),
                found("mta-sts", "policy_unavailable", "The policy cannot be retrieved. " + REFUSED.message()));

        assertThat(codes(evaluation)).containsExactly("http-status/connect_refused", "mta-sts/policy_unavailable");
        assertThat(causes(evaluation, "causes").get(0).get("parts"))
                .isEqualTo(List.of("http-status", "https-redirect", "hsts"));
    }

    @Test
    void aCauseIsAsSevereAsItsWorstEffect() {
        Finding implicit = new Finding(Level.WARN, "implicit_mx", null, "No MX record.", "Add one.", null);
        PartResult mx = result(part("mx"), Verdict.WARN, List.of(implicit), null);

        Evaluation evaluation = evaluate(mx, found("mta-sts", "mx_not_covered", "Not covered."));

        assertThat(causes(evaluation, "causes")).singleElement().satisfies(cause -> assertThat(cause)
                .containsEntry("code", "implicit_mx")
                .containsEntry("level", "fail")
                .containsEntry("consequence", "degraded"));
    }

    @Test
    void aFindingExplainsTheErrorOfItsPartIfNoOtherPartHasIt() {
        PartResult caa = result(
                part("caa"),
                Verdict.ERROR,
                List.of(failure("caa_lookup_failed", "The CAA lookup failed. " + SERVFAIL.message())),
                SERVFAIL);

        assertThat(codes(evaluate(caa, ended("soa", Verdict.PASS, null)))).containsExactly("caa/caa_lookup_failed");
        assertThat(codes(evaluate(caa, ended("soa", Verdict.ERROR, SERVFAIL), ended("spf", Verdict.PASS, null))))
                .containsExactly("caa/dns_servfail");
    }

    /** The host of an MX record can be in another domain. */
    @Test
    void mailServersWithoutAddressAreOneProblem() {
        Evaluation evaluation = evaluate(
                found("mx", "no_usable_mx", "None of the mail servers has a public address."),
                ofMailServer("smtp", Verdict.ERROR, List.of(), NO_ADDRESS),
                ofMailServer("starttls-certificate", Verdict.ERROR, List.of(), NO_ADDRESS));

        assertThat(codes(evaluation)).containsExactly("mx/no_usable_mx");
    }

    @ParameterizedTest
    @CsvSource({"dnssec, not_signed, not_secure", "dnssec, signature_expired, lookup_bogus"})
    void aProblemOfTheZoneDoesNotExplainThoseOfAMailServerInAnotherDomain(String module, String code, String effect) {
        PartResult cause = found(module, code, "A problem of the zone.");
        List<Finding> effects = List.of(failure(effect, "A problem of the TLSA records."));

        assertThat(codes(evaluate(cause, result(part("dane-tlsa"), Verdict.FAIL, effects, null))))
                .containsExactly(module + "/" + code);
        assertThat(codes(evaluate(cause, ofMailServer("dane-tlsa", Verdict.FAIL, effects, null))))
                .containsExactlyInAnyOrder(module + "/" + code, "dane-tlsa/" + effect);
    }
}
