package dev.plumbline.module.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsLab;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.lab.TlsServers;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.support.Await;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The time at which the expiry of a certificate is reported depends on its lifetime. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CertificateExpiryTest {
    private static final String HOST = "expiry." + TlsLab.DOMAIN;

    /** Within the validity period of the issuers of the lab. */
    private static final Instant END =
            Instant.now().truncatedTo(ChronoUnit.SECONDS).plus(Duration.ofDays(450));

    private TlsLabFixture fixture;

    @BeforeAll
    void start() {
        fixture = new TlsLabFixture();
        fixture.dns.address(HOST, "127.0.0.1");
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    /** The days of the lifetime, and the hours before the end at which the check starts to warn and to fail. */
    @ParameterizedTest
    @CsvSource({
        "4, 48, 12",
        "6, 48, 14.4",
        "10, 48, 24",
        "12, 96, 28.8",
        "45, 360, 72",
        "64, 512, 72",
        "90, 720, 72",
        "200, 720, 72",
        "398, 720, 72"
    })
    void dependsOnTheLifetime(int lifetimeDays, long warnHours, double failHours) {
        Duration lifetime = Duration.ofDays(lifetimeDays);
        Duration warn = Duration.ofHours(warnHours);
        Duration fail = Duration.ofSeconds(Math.round(failHours * 3600));
        Duration second = Duration.ofSeconds(1);
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity(lifetime), TlsServers.ServerOptions.DEFAULT);
            for (Duration left : List.of(lifetime, lifetime.dividedBy(2), warn)) {
                assertThat(expiry(port, left, Map.of())).as("%s left", left).isEmpty();
            }
            for (Duration left : List.of(warn.minus(second), fail)) {
                assertThat(expiry(port, left, Map.of()))
                        .as("%s left", left)
                        .singleElement()
                        .matches(found -> found.code().equals("expiring_soon") && found.level() == Level.WARN);
            }
            for (Duration left : List.of(fail.minus(second), second)) {
                assertThat(expiry(port, left, Map.of()))
                        .as("%s left", left)
                        .singleElement()
                        .matches(found -> found.code().equals("expiry_imminent") && found.level() == Level.FAIL);
            }
        }
    }

    /** A certificate that is renewed when a third of its lifetime remains never causes a finding. */
    @ParameterizedTest
    @CsvSource({"6", "45", "64", "90", "200", "398"})
    void doesNotReportCertificatesThatAreRenewedInTime(int lifetimeDays) {
        Duration lifetime = Duration.ofDays(lifetimeDays);
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity(lifetime), TlsServers.ServerOptions.DEFAULT);
            for (int age = 0; age <= 20; age++) {
                Duration left = lifetime.minus(lifetime.multipliedBy(age).dividedBy(30));
                assertThat(expiry(port, left, Map.of())).as("%s left", left).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "90, 31, 2664, -",
        "90, 31, 743, expiring_soon",
        "90, 14, 336, -",
        "90, 14, 335, expiring_soon",
        "90, 0, 72, -",
        "90, 0, 71, expiry_imminent",
        "398, 1, 71, expiry_imminent",
        "6, 5, 119, expiring_soon",
        "6, 1, 25, -",
        "6, 365, 143, expiring_soon"
    })
    void appliesTheGivenNumberOfDays(int lifetimeDays, int warnDays, int hoursLeft, String code) {
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity(Duration.ofDays(lifetimeDays)), TlsServers.ServerOptions.DEFAULT);

            assertThat(expiry(port, Duration.ofHours(hoursLeft), Map.of("warn_days", warnDays)))
                    .extracting(Finding::code)
                    .isEqualTo(code.equals("-") ? List.of() : List.of(code));
        }
    }

    @ParameterizedTest
    @CsvSource({"3599, less than 1 hour", "3600, 1 hour", "43199, 11 hours", "86400, 1 day", "172800, 2 days"})
    void namesTheTimeLeft(int seconds, String text) {
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity(Duration.ofDays(90)), TlsServers.ServerOptions.DEFAULT);

            assertThat(expiry(port, Duration.ofSeconds(seconds), Map.of()))
                    .extracting(Finding::message)
                    .containsExactly("The certificate expires in " + text + ", less than the threshold of 3 days.");
        }
    }

    /** The threshold has one decimal more than the time left, so that it is visibly higher. */
    @ParameterizedTest
    @CsvSource({
        "6, 47, '', 2 days",
        "6, 13, '', 14.4 hours",
        "64, 511, '', 21.4 days",
        "90, 719, '', 30 days",
        "90, 335, 14, 14 days"
    })
    void namesTheThreshold(int lifetimeDays, int hoursLeft, String warnDays, String threshold) {
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity(Duration.ofDays(lifetimeDays)), TlsServers.ServerOptions.DEFAULT);
            Map<String, String> options = warnDays.isEmpty() ? Map.of() : Map.of("warn_days", warnDays);

            assertThat(expiry(port, Duration.ofHours(hoursLeft), options))
                    .singleElement()
                    .matches(found -> found.message().endsWith(", less than the threshold of " + threshold + "."));
        }
    }

    /** The lifetimes of an intermediate certificate and of a server certificate that ends a day later. */
    @ParameterizedTest
    @CsvSource({
        "1000, 90, 800, -",
        "1000, 90, 719, chain_expiring_soon",
        "1000, 6, 72, chain_expiring_soon",
        "1000, 6, 71, chain_expiry_imminent",
        "1000, 90, 600, expiring_soon",
        "1000, 90, 71, chain_expiry_imminent expiring_soon",
        "1000, 398, 40, expiry_imminent",
        "6, 6, 49, -",
        "6, 6, 47, chain_expiring_soon",
        "6, 6, 14, chain_expiry_imminent expiring_soon"
    })
    void reportsIntermediateCertificates(int issuerDays, int lifetimeDays, int hoursLeft, String codes) {
        Duration day = Duration.ofDays(1);
        TestCa issuer = fixture.lab
                .root()
                .authority(CertificateSpec.authority("Lab Short Issuer")
                        .from(END.minus(day.multipliedBy(issuerDays)))
                        .until(END));
        Instant leafEnd = END.plus(day);
        TestCa.Identity identity = issuer.issue(CertificateSpec.server(HOST)
                .from(leafEnd.minus(day.multipliedBy(lifetimeDays)))
                .until(leafEnd));
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity, TlsServers.ServerOptions.DEFAULT);
            List<String> found = new ArrayList<>(expiry(port, Duration.ofHours(hoursLeft), Map.of()).stream()
                    .map(Finding::code)
                    .toList());

            assertThat(found)
                    .containsExactlyInAnyOrderElementsOf(codes.equals("-") ? List.of() : List.of(codes.split(" ")));
        }
    }

    @Test
    void theNumberOfDaysHasNoDefault() {
        assertThat(fixture.description().option("warn_days").defaultValue()).isNull();
        assertThat(fixture.context(Map.of()).options().optionalInteger("warn_days"))
                .isNull();
    }

    private TestCa.Identity identity(Duration lifetime) {
        return fixture.lab
                .issuer()
                .issue(CertificateSpec.server(HOST).from(END.minus(lifetime)).until(END));
    }

    /** The findings about the expiry, at this time before the end. */
    private List<Finding> expiry(int port, Duration left, Map<String, ?> options) {
        Clock clock = Clock.fixed(END.minus(left), ZoneOffset.UTC);
        Evaluation evaluation = Await.value(
                fixture.check(HOST + ":" + port, fixture.context(options).withClock(clock)));
        assertThat(evaluation.error()).isNull();
        return evaluation.findings().stream()
                .filter(finding -> finding.code().contains("expir"))
                .toList();
    }
}
