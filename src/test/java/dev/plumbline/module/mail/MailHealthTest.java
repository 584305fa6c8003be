package dev.plumbline.module.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.plumbline.bus.Message;
import dev.plumbline.check.CompositePart;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.PartResult;
import dev.plumbline.check.SheetModule;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.http.api.tool.ResultContract;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.run.CheckRunner;
import dev.plumbline.run.TestRunners;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MailHealthTest {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();
    private static final ModuleDefinition<List<PartResult>> MODULE = SheetModule.load(new MailHealth());
    private static final String MX_ADDRESS = "127.15.7.2";

    @Test
    void composesTheModulesOfMail() {
        assertThat(MODULES.parts("mail-health"))
                .extracting(part -> part.module().module())
                .contains("dkim", "dmarc", "mta-sts", "mx", "smtp", "spf", "tls-rpt");
    }

    @Test
    void reportsScoreGradeAndTheWorstFindings() {
        Evaluation evaluation = evaluate(
                result("mx", Verdict.PASS, null),
                result("spf", Verdict.WARN, null),
                result("dmarc", Verdict.PASS, null),
                result("tls-rpt", Verdict.ERROR, ErrorCode.DNS_TIMEOUT));

        assertThat(evaluation.fields()).containsEntry("score", 90).containsEntry("grade", "A");
        assertThat(evaluation.findings())
                .extracting(Finding::code, Finding::message)
                .containsExactly(
                        tuple("part_warn", title("spf") + ": A problem."),
                        tuple("part_error", title("tls-rpt") + ": Failed."));
        assertThat(evaluation.findings().get(0).action()).isEqualTo("Set `a=b`.");
        assertThat(evaluation.error()).isNull();
        assertThat(String.valueOf(evaluation.fields().get("parts")))
                .contains(
                        "spf={rules=spf/3, target=example.com, verdict=warn, headline=null, code=problem, "
                                + "message=A problem., action=Set `a=b`., fields={valid=null, all_qualifier=null}, findings=[problem], error=null, error_message=null}")
                .contains(
                        "tls-rpt={rules=tls-rpt/3, target=example.com, verdict=error, headline=null, code=null, "
                                + "message=null, action=null, fields={valid=null}, findings=[], error=dns_timeout, error_message=Failed.}");
    }

    @Test
    void aFailedPartLimitsTheScore() {
        Evaluation evaluation = evaluate(
                result("mx", Verdict.PASS, null),
                result("dmarc", Verdict.PASS, null),
                result("tls-rpt", Verdict.PASS, null),
                result("spf", Verdict.FAIL, null));

        assertThat(evaluation.fields()).containsEntry("score", 59).containsEntry("grade", "D");
    }

    /** Many networks block outgoing connections to port 25. */
    @Test
    void aMailServerThatDoesNotRespondIsNotAFailure() {
        Evaluation timeout =
                evaluate(result("mx", Verdict.PASS, null), result("smtp", Verdict.FAIL, ErrorCode.CONNECT_TIMEOUT));
        Evaluation refused =
                evaluate(result("mx", Verdict.PASS, null), result("smtp", Verdict.FAIL, ErrorCode.CONNECT_REFUSED));

        assertThat(timeout.fields()).containsEntry("score", 100);
        assertThat(timeout.findings()).extracting(Finding::code).containsExactly("part_error");
        assertThat(refused.fields()).containsEntry("score", 0).containsEntry("grade", "F");
        assertThat(refused.findings()).extracting(Finding::code).containsExactly("part_fail");
    }

    @Test
    void isAnErrorIfLessThanHalfOfThePartsWereDetermined() {
        Evaluation evaluation = evaluate(
                result("mx", Verdict.PASS, null),
                result("spf", Verdict.ERROR, ErrorCode.DNS_SERVFAIL),
                result("dmarc", Verdict.ERROR, ErrorCode.DNS_TIMEOUT));

        assertThat(evaluation.fields()).containsEntry("score", null).containsEntry("grade", null);
        assertThat(evaluation.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
    }

    /** The parts run as in the service, with a mail server on port 25. */
    @Test
    void checksTheMailServerOfTheMxRecord() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (DnsLab dns = DnsLab.start()) {
            for (String domain : List.of("healthy.test", "closed.test", "null.test")) {
                dns.address(domain, MX_ADDRESS)
                        .record(domain + ". 60 IN TXT \"v=spf1 -all\"")
                        .record("_dmarc." + domain + ". 60 IN TXT \"v=DMARC1; p=reject; rua=mailto:a@" + domain + "\"")
                        .record("_smtp._tls." + domain + ". 60 IN TXT \"v=TLSRPTv1; rua=mailto:a@" + domain + "\"");
            }
            dns.record("healthy.test. 60 IN MX 10 mx.healthy.test.")
                    .record("healthy.test. 60 IN MX 20 other.healthy.test.")
                    .record("closed.test. 60 IN MX 10 mx.closed.test.")
                    .record("null.test. 60 IN MX 0 .")
                    .address("mx.healthy.test", MX_ADDRESS)
                    .address("mx.closed.test", "127.15.7.3");
            Await.value(vertx.createNetServer()
                    .connectHandler(socket -> {
                        socket.handler(command -> socket.write(
                                command.toString().startsWith("EHLO")
                                        ? "250-mx.healthy.test\r\n250-SIZE 52428800\r\n250 STARTTLS\r\n"
                                        : "221 Bye\r\n"));
                        socket.write("220 mx.healthy.test ESMTP\r\n");
                    })
                    .listen(25, MX_ADDRESS));
            CheckRunner runner = runner(vertx, dns);

            CheckResult healthy = check(vertx, runner, "healthy.test");
            assertThat(healthy.error()).isNull();
            assertThat(part(healthy, "smtp"))
                    .containsEntry("target", "mx.healthy.test")
                    .containsEntry("verdict", "pass");
            assertThat(part(healthy, "dmarc")).containsEntry("verdict", "pass");
            assertThat(part(healthy, "mx")).containsEntry("target", "healthy.test");
            CheckResult closed = check(vertx, runner, "closed.test");
            assertThat(part(closed, "smtp")).containsEntry("verdict", "fail").containsEntry("error", "connect_refused");
            assertThat(part(closed, "smtp-tls"))
                    .containsEntry("target", null)
                    .containsEntry("verdict", "error")
                    .containsEntry("error", "connect_refused");
            assertThat((Integer) closed.fields().get("score")).isLessThanOrEqualTo(59);
            CheckResult none = check(vertx, runner, "null.test");
            assertThat(part(none, "smtp")).isNull();
            assertThat(check(vertx, runner, "missing.test").error().code()).isEqualTo(ErrorCode.DNS_NXDOMAIN);
        } finally {
            Await.value(vertx.close());
        }
    }

    private static CheckRunner runner(Vertx vertx, DnsLab dns) throws Exception {
        Config config = ConfigLoader.load(
                null,
                Map.of(
                        "PLUMBLINE_TARGETS_ALLOW",
                        "127.0.0.0/8",
                        "PLUMBLINE_TARGETS_PORTS",
                        "*",
                        "PLUMBLINE_DNS_SERVERS",
                        dns.address()));
        return TestRunners.builder(vertx, MODULES).config(config).capacity(4, 4).build();
    }

    private static CheckResult check(Vertx vertx, CheckRunner runner, String domain) {
        CheckResult result = Await.value(Await.onLoop(
                vertx,
                () -> TestRunners.run(
                        runner, new Message.RunCheck("mail-health", domain, Map.of(), false, 30_000, "t"))));
        ResultContract.assertHolds(MODULE.description(), result);
        return result;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> part(CheckResult result, String module) {
        return (Map<String, Object>) ((Map<String, Object>) result.fields().get("parts")).get(module);
    }

    private static String title(String module) {
        return MODULES.find(module).description().title();
    }

    private static Evaluation evaluate(PartResult... parts) {
        return MODULE.evaluate(List.of(parts), Options.defaults(MODULE.description()));
    }

    private static PartResult result(String module, Verdict verdict, @Nullable ErrorCode code) {
        List<Finding> findings = code == null && (verdict == Verdict.WARN || verdict == Verdict.FAIL)
                ? List.of(new Finding(Level.of(verdict.id()), "problem", null, "A problem.", "Set `a=b`.", null))
                : List.of();
        CheckError error = code == null ? null : new CheckError(code, "Failed.");
        return new PartResult(
                new CompositePart(MODULES.find(module).description(), CompositePart.MAIL_AREA),
                "example.com",
                new CheckResult(
                        module,
                        module + "/3",
                        "example.com",
                        verdict,
                        Map.of(),
                        findings,
                        List.of(),
                        error,
                        Instant.EPOCH,
                        1),
                null);
    }
}
