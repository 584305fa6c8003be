package dev.plumbline.module.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.plumbline.check.CompositePart;
import dev.plumbline.check.CompositePart.MailServer;
import dev.plumbline.check.CompositeScore;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.PartResult;
import dev.plumbline.check.ResultAssembler;
import dev.plumbline.check.SheetModule;
import dev.plumbline.http.api.tool.ResultContract;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverviewTest {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();
    private static final ModuleDefinition<List<PartResult>> MODULE = SheetModule.load(new Overview());
    private static final List<CompositePart> PARTS = MODULES.parts("overview");
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final CheckError NXDOMAIN = new CheckError(ErrorCode.DNS_NXDOMAIN, "The name does not exist.");

    static CompositePart part(String module) {
        return PARTS.stream()
                .filter(part -> part.module().module().equals(module))
                .findFirst()
                .orElseThrow();
    }

    static PartResult result(CompositePart part, Verdict verdict, List<Finding> findings, @Nullable CheckError error) {
        return new PartResult(
                part,
                "example.com",
                new CheckResult(
                        part.module().module(),
                        null,
                        "example.com",
                        verdict,
                        Map.of(),
                        findings,
                        List.of(),
                        error,
                        NOW,
                        84),
                null);
    }

    private static PartResult result(String module, Verdict verdict) {
        List<Finding> findings = verdict == Verdict.PASS || verdict == Verdict.ERROR
                ? List.of()
                : List.of(
                        new Finding(Level.INFO, "note", null, "A note.", "", null),
                        new Finding(Level.of(verdict.id()), "code", null, "A problem.", "Set `a=b`.", null));
        return result(part(module), verdict, findings, verdict == Verdict.ERROR ? NXDOMAIN : null);
    }

    static Evaluation evaluate(PartResult... parts) {
        return MODULE.evaluate(List.of(parts), Options.defaults(MODULE.description()));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> area(Evaluation evaluation, String name) {
        return (Map<String, Object>) ((Map<String, Object>) evaluation.fields().get("areas")).get(name);
    }

    @Test
    void reportsEachProblemOnceWithTheMostImportantFirst() {
        Evaluation evaluation = evaluate(
                result("http-status", Verdict.PASS),
                found("page-metadata", Level.WARN, "lang_missing"),
                found("https-redirect", Level.WARN, "https_downgrade"),
                result("spf", Verdict.ERROR),
                found("dnssec", Level.FAIL, "signature_expired"));

        assertThat(evaluation.findings())
                .extracting(Finding::code, Finding::message, Finding::action)
                .containsExactly(
                        tuple("part_fail", title("dnssec") + ": A problem.", "Set `a=b`."),
                        tuple("part_warn", title("https-redirect") + ": A problem.", "Set `a=b`."),
                        tuple(
                                "part_warn",
                                title("spf") + ": The name does not exist.",
                                "Check the spelling of the name, and that it is registered and has DNS records."),
                        tuple("part_warn", title("page-metadata") + ": A problem.", "Set `a=b`."));
        assertThat(causes(evaluation, "fix_first"))
                .extracting(cause -> cause.get("module"))
                .containsExactly("dnssec", "https-redirect", "spf");
        assertThat(evaluation.fields()).containsEntry("part_count", 5).containsEntry("failed_count", 1);
        assertThat(evaluation.error()).isNull();
    }

    private static String title(String module) {
        return part(module).module().title();
    }

    private static PartResult found(String module, Level level, String code) {
        Finding finding = new Finding(level, code, null, "A problem.", "Set `a=b`.", null);
        Verdict verdict = level == Level.FAIL ? Verdict.FAIL : Verdict.WARN;
        return result(part(module), verdict, List.of(finding), null);
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> causes(Evaluation evaluation, String field) {
        return (List<Map<String, Object>>) evaluation.fields().get(field);
    }

    /** They depend on the connection that the entry of the area reports. */
    @Test
    void errorsOfTheSameServerAreOneProblemAndTheAreaHasTheScoreZero() {
        CheckError refused = new CheckError(ErrorCode.CONNECT_REFUSED, "Connection refused.");
        CheckError reset = new CheckError(ErrorCode.CONNECTION_RESET, "Connection reset.");

        Evaluation evaluation = evaluate(
                result(part("cookies"), Verdict.ERROR, List.of(), reset),
                result(part("http-status"), Verdict.FAIL, List.of(), refused),
                result(part("page-metadata"), Verdict.ERROR, List.of(), refused),
                result("ssl-certificate", Verdict.PASS),
                result("caa", Verdict.PASS),
                result("spf", Verdict.PASS));

        assertThat(causes(evaluation, "causes")).singleElement().satisfies(cause -> {
            assertThat(cause)
                    .containsEntry("code", "connect_refused")
                    .containsEntry("module", "http-status")
                    .containsEntry("target", "example.com:443")
                    .containsEntry("level", "fail")
                    .containsEntry("consequence", "unavailable")
                    .containsEntry("message", "Connection refused.");
            assertThat(cause.get("parts")).isEqualTo(List.of("http-status", "cookies", "page-metadata"));
        });
        assertThat(evaluation.findings().get(0).message())
                .isEqualTo(title("http-status") + " and 2 other checks: Connection refused.");
        assertThat(area(evaluation, "web")).containsEntry("score", 0).containsEntry("grade", "F");
        assertThat(evaluation.fields()).containsEntry("score", 39).containsEntry("grade", "E");
    }

    @ParameterizedTest
    @CsvSource({"too_many_redirects", "redirect_loop"})
    void redirectsWithoutEndMakeTheWebsiteUnavailable(String code) {
        CheckError endless = new CheckError(ErrorCode.of(code), "The redirects do not end.");
        Finding chain = new Finding(Level.FAIL, code, null, "A problem.", "Fix it.", null);
        Finding effect = new Finding(Level.WARN, "long_redirect_chain", null, "A problem.", "Fix it.", null);

        Evaluation evaluation = evaluate(
                result(part("http-status"), Verdict.FAIL, List.of(effect), endless),
                result(part("redirect-chain"), Verdict.FAIL, List.of(chain), endless),
                result("ssl-certificate", Verdict.PASS),
                found("dmarc", Level.FAIL, "syntax_error"));

        assertThat(causes(evaluation, "fix_first")).hasSize(2);
        assertThat(causes(evaluation, "fix_first").get(0))
                .containsEntry("module", "redirect-chain")
                .containsEntry("consequence", "unavailable")
                .containsEntry("level", "fail")
                .containsEntry("parts", List.of("redirect-chain", "http-status"));
        assertThat(area(evaluation, "web")).containsEntry("score", 0);
        assertThat((Integer) evaluation.fields().get("score")).isLessThanOrEqualTo(39);
    }

    /** Mail servers without an address cannot be reached over IPv6 either, but the website works. */
    @Test
    void aProblemThatOnlyCausesAWarningDoesNotMakeAnAreaUnavailable() {
        Evaluation evaluation = evaluate(
                result("http-status", Verdict.PASS),
                found("ipv6-readiness", Level.WARN, "mx_no_aaaa"),
                found("mx", Level.FAIL, "no_usable_mx"));

        assertThat(causes(evaluation, "causes")).singleElement().satisfies(cause -> assertThat(cause)
                .containsEntry("consequence", "unavailable")
                .containsEntry("parts", List.of("mx", "ipv6-readiness")));
        assertThat(area(evaluation, "web")).containsEntry("score", 85);
        assertThat(area(evaluation, "mail")).containsEntry("score", 0);
        assertThat(evaluation.fields()).containsEntry("score", 39);
    }

    @Test
    void aPartThatEndedBecauseOfItsTargetCountsAsFailed() {
        CheckError tooLarge = new CheckError(ErrorCode.RESPONSE_TOO_LARGE, "Too large.");
        CheckError internal = new CheckError(ErrorCode.INTERNAL, "Internal error.");

        Evaluation byTarget = evaluate(
                result("http-status", Verdict.PASS), result(part("sitemap"), Verdict.ERROR, List.of(), tooLarge));
        Evaluation byService = evaluate(
                result("http-status", Verdict.PASS), result(part("sitemap"), Verdict.ERROR, List.of(), internal));

        assertThat(area(byTarget, "web")).containsEntry("score", 50);
        assertThat(causes(byTarget, "causes"))
                .extracting(cause -> cause.get("level"))
                .containsExactly("warn");
        assertThat(area(byService, "web")).containsEntry("score", 100);
        assertThat(causes(byService, "causes"))
                .extracting(cause -> cause.get("level"))
                .containsExactly("info");
        assertThat(causes(byService, "fix_first")).isEmpty();
    }

    /** Mail is delivered to the other server. */
    @Test
    void aMailServerDoesNotMakeMailUnavailableIfAnotherOneResponds() {
        CheckError refused = new CheckError(ErrorCode.CONNECT_REFUSED, "Connection refused.");
        Finding closedPort = new Finding(Level.FAIL, "port_refused", null, "The port is closed.", "Start it.", null);
        PartResult smtp = result(part("smtp"), Verdict.FAIL, List.of(closedPort), refused);
        Map<String, Object> closed = new HashMap<>(Map.of("preference", 10, "host", "example.com"));
        closed.put("tls", null);
        PartResult mx = new PartResult(
                part("mx"),
                "example.com",
                mx(closed, Map.of("preference", 20, "host", "b.example.net", "tls", true)),
                null);

        Evaluation other = evaluate(mx, smtp);
        Evaluation only = evaluate(smtp, result("spf", Verdict.PASS));

        assertThat(area(other, "mail")).containsEntry("score", 50).containsEntry("grade", "D");
        assertThat(causes(other, "causes")).singleElement().satisfies(cause -> assertThat(cause)
                .containsEntry("code", "port_refused")
                .containsEntry("consequence", "degraded"));
        assertThat(area(only, "mail")).containsEntry("score", 0);
        assertThat(causes(only, "causes")).singleElement().satisfies(cause -> assertThat(cause)
                .containsEntry("code", "port_refused")
                .containsEntry("consequence", "unavailable"));
    }

    @Test
    void anAreaHasTheMeanOfItsParts() {
        Evaluation evaluation = evaluate(
                result("http-status", Verdict.PASS),
                result("hsts", Verdict.WARN),
                result("ssl-certificate", Verdict.PASS),
                result("tls-protocols", Verdict.FAIL));

        assertThat(area(evaluation, "web"))
                .containsEntry("score", 85)
                .containsEntry("grade", "B")
                .containsEntry("verdict", "warn");
        assertThat(area(evaluation, "tls"))
                .containsEntry("score", 50)
                .containsEntry("grade", "D")
                .containsEntry("verdict", "fail")
                .containsEntry("part_count", 2)
                .containsEntry("failed_count", 1);
        assertThat(area(evaluation, "dns")).isNull();
        assertThat(evaluation.fields()).containsEntry("score", 67).containsEntry("grade", "C");
    }

    /** A part that was not determined because of this service. */
    private static PartResult failed(String module) {
        CheckError timeout = new CheckError(ErrorCode.DEADLINE_EXCEEDED, "The part did not complete.");
        return result(part(module), Verdict.ERROR, List.of(), timeout);
    }

    @Test
    void anUndeterminedPartDoesNotChangeTheScore() {
        Evaluation evaluation =
                evaluate(result("http-status", Verdict.PASS), failed("hsts"), result("ssl-certificate", Verdict.PASS));

        assertThat(area(evaluation, "web")).containsEntry("score", 100).containsEntry("verdict", "pass");
        assertThat(evaluation.fields()).containsEntry("grade", "A+");
    }

    @Test
    void aScoreIsNullIfTooFewPartsWereDetermined() {
        Evaluation evaluation = evaluate(
                result("http-status", Verdict.PASS), failed("hsts"), failed("cookies"), failed("ssl-certificate"));

        assertThat(area(evaluation, "web"))
                .containsEntry("score", null)
                .containsEntry("grade", null)
                .containsEntry("verdict", "pass");
        assertThat(area(evaluation, "tls")).containsEntry("score", null).containsEntry("verdict", "error");
        assertThat(evaluation.fields()).containsEntry("score", null).containsEntry("grade", null);
        assertThat(evaluation.error()).isNull();
    }

    /** A check of reachability fails with an error. */
    @Test
    void aDomainWithoutAnyResponseIsAnError() {
        Evaluation evaluation =
                evaluate(result(part("http-status"), Verdict.FAIL, List.of(), NXDOMAIN), result("spf", Verdict.ERROR));

        assertThat(evaluation.error()).isEqualTo(NXDOMAIN);
        assertThat(evaluation.findings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "http-status, https://example.com/",
        "hsts, example.com",
        "ssl-certificate, example.com",
        "mx, example.com",
        "domain-registration, example.com",
    })
    void partsHaveTargets(String module, String target) {
        assertThat(part(module).target("example.com", new MailServer("mail.example.net", null)))
                .isEqualTo(target);
    }

    @Test
    void mailServersAreCheckedOnPort25() {
        CompositePart smtp = part("smtp");

        assertThat(smtp.needsMailServer()).isTrue();
        assertThat(smtp.target("example.com", new MailServer("mail.example.net", null)))
                .isEqualTo("mail.example.net:25");
        assertThat(smtp.target("example.com", null)).isNull();
        assertThat(part("reverse-dns").target("example.com", new MailServer("mail.example.net", "192.0.2.1")))
                .isEqualTo("192.0.2.1");
        assertThat(part("reverse-dns").target("example.com", new MailServer("mail.example.net", null)))
                .isNull();
    }

    /** Many networks block outgoing connections to port 25. */
    @ParameterizedTest
    @CsvSource({
        "smtp, CONNECT_TIMEOUT, error",
        "smtp, CONNECT_UNREACHABLE, error",
        "smtp, CONNECT_REFUSED, fail",
        "http-status, CONNECT_TIMEOUT, fail",
        "http-status, DNS_NO_DATA, fail",
        "ssl-certificate, DNS_NXDOMAIN, fail",
    })
    void silentMailServersAreNotDetermined(String module, ErrorCode code, String verdict) {
        Evaluation evaluation = evaluate(
                result(part(module), Verdict.FAIL, List.of(), new CheckError(code, "No response.")),
                result("spf", Verdict.PASS));

        assertThat(((Map<?, ?>) ((List<?>) evaluation.fields().get("parts")).get(0)).get("verdict"))
                .isEqualTo(verdict);
    }

    @Test
    void aPartWithoutTargetHasTheErrorOfTheMxRecords() {
        CheckResult failed = result("mx", Verdict.ERROR).result();
        Evaluation evaluation =
                evaluate(new PartResult(part("smtp"), null, failed, null), result("http-status", Verdict.PASS));

        Map<?, ?> smtp = (Map<?, ?>) ((List<?>) evaluation.fields().get("parts")).get(0);
        assertThat(smtp.get("target")).isNull();
        assertThat(smtp.get("verdict")).isEqualTo("error");
        assertThat(smtp.get("error")).hasToString("{code=dns_nxdomain, message=The name does not exist.}");
        assertThat(evaluation.findings()).extracting(Finding::code).containsExactly("part_warn");
    }

    @Test
    void theMailServerIsThePreferredOne() {
        assertThat(CompositePart.mailServer(mx(
                        Map.of("preference", 20, "host", "b.example.net"),
                        Map.of("preference", 10, "host", "a.example.net", "ips", List.of("192.0.2.1", "2001:db8::1")))))
                .isEqualTo(new MailServer("a.example.net", "192.0.2.1"));
        assertThat(CompositePart.mailServer(mx(Map.of("preference", 0, "host", "."))))
                .isNull();
        assertThat(CompositePart.mailServer(mx())).isNull();
    }

    @Test
    void aDomainWithoutMxRecordsHasNoMailServer() {
        CheckResult implicit = new CheckResult(
                "mx",
                null,
                "www.example.com",
                Verdict.WARN,
                Map.of("records", List.of(Map.of("preference", 0, "host", "www.example.com")), "implicit", true),
                List.of(),
                List.of(),
                null,
                NOW,
                1);

        assertThat(CompositePart.mailServer(implicit)).isNull();
    }

    private static CheckResult mx(Map<?, ?>... records) {
        return new CheckResult(
                "mx",
                null,
                "example.com",
                Verdict.PASS,
                Map.of("records", Arrays.asList(records)),
                List.of(),
                List.of(),
                null,
                NOW,
                1);
    }

    @ParameterizedTest
    @CsvSource({
        "100, A+", "99, A", "90, A", "89, B", "75, B", "74, C", "60, C", "59, D", "40, D", "39, E", "19, F", "0, F"
    })
    void gradesFollowTheDocumentedScale(int score, String grade) {
        assertThat(CompositeScore.grade(score)).isEqualTo(grade);
    }

    @Test
    void aFailedPartLimitsTheScores() {
        List<PartResult> parts = new ArrayList<>(Collections.nCopies(19, result("hsts", Verdict.PASS)));
        parts.add(result("cookies", Verdict.FAIL));
        CompositeScore scores = new CompositeScore(List.of());

        assertThat(scores.ofArea(parts)).isEqualTo(59);
        assertThat(scores.total(List.of(100, 100, 100, 100, 59), parts)).isEqualTo(74);
        assertThat(scores.total(List.of(100, 100), List.of(result("hsts", Verdict.PASS))))
                .isEqualTo(100);
        assertThat(scores.ofArea(List.of())).isNull();
        assertThat(scores.total(Arrays.asList(100, null, null), List.of(result("hsts", Verdict.PASS))))
                .isNull();
    }

    @Provide
    Arbitrary<List<PartResult>> partResults() {
        Arbitrary<String> text = Arbitraries.strings().ofMaxLength(1_024);
        Arbitrary<Finding> finding = Combinators.combine(Arbitraries.of(Level.class), text, text)
                .as((level, message, action) -> new Finding(level, "code", null, message, action, null));
        Arbitrary<CheckError> error = Combinators.combine(Arbitraries.of(ErrorCode.class), text)
                .as(CheckError::new)
                .injectNull(0.7);
        return Combinators.combine(
                        Arbitraries.of(PARTS),
                        Arbitraries.of(Verdict.class),
                        finding.list().ofMaxSize(3),
                        error)
                .as((part, verdict, findings, failure) -> result(part, verdict, findings, failure))
                .list()
                .ofMaxSize(60);
    }

    @Property(tries = 200)
    void anyResultsOfPartsAreAValidReport(@ForAll("partResults") List<PartResult> parts) {
        Evaluation evaluation = MODULE.evaluate(parts, Options.defaults(MODULE.description()));
        CheckResult result =
                ResultAssembler.assemble(MODULE.description(), new Target.Domain("example.com"), evaluation, NOW, 84);

        ResultContract.assertHolds(MODULE.description(), result);
        assertThat(evaluation.fields().get("part_count")).isEqualTo(parts.size());
        Object score = evaluation.fields().get("score");
        assertThat(score == null).isEqualTo(evaluation.fields().get("grade") == null);
        if (score != null) {
            assertThat((Integer) score).isBetween(0, 100);
        }
        long failed =
                parts.stream().filter(part -> part.verdict() == Verdict.FAIL).count();
        assertThat(evaluation.fields()).containsEntry("failed_count", (int) failed);
        if (evaluation.error() != null) {
            assertThat(parts).allMatch(part -> part.result().error() != null);
        }
    }
}
