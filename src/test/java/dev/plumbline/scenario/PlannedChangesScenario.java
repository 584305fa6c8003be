package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.domain.DomainLab;
import dev.plumbline.lab.domain.DomainSpec;
import dev.plumbline.lab.domain.Fault;
import dev.plumbline.lab.domain.FaultCatalogue;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Comparisons of {@code overview} jobs of a domain, without a change and with one planned change at a time. */
@Tag("scenario")
class PlannedChangesScenario {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final int REPETITIONS = 10;

    private static DomainLab lab;
    private static ServiceUnderTest service;
    private static JobsApiClient jobs;
    private static String healthy;

    @BeforeAll
    static void checkDomain(@TempDir Path folder) throws Exception {
        lab = new DomainLab(folder);
        Map<String, String> settings = new HashMap<>(lab.settings());
        settings.put("LIMITS_JOBS_PER_HOUR", "0");
        service = ServiceUnderTest.start(DATABASE.url(), settings);
        jobs = new JobsApiClient(
                service, new TestAccounts(DATABASE.open()).key().secret());
        healthy = checkWith(List.of());
    }

    @AfterAll
    static void stop() {
        if (service != null) {
            service.close();
        }
        if (lab != null) {
            lab.close();
        }
    }

    /** Returns the token of a finished job. */
    private static String checkWith(List<Fault> faults) {
        DomainSpec spec = new DomainSpec("d.test", 1);
        faults.forEach(fault -> fault.accept(spec));
        lab.serve(spec);
        JsonObject body = new JsonObject()
                .put("module", "overview")
                .put("items", new JsonArray().add(spec.domain()))
                .put("options", new JsonObject().put("fresh", true));
        String token = JobsApiClient.token(jobs.post(body.encode()));
        jobs.finished(token);
        return token;
    }

    /** The changes since the first job, without unchanged lines. */
    private static JsonObject changes(String token) {
        HttpResponse<String> response = jobs.get("/" + token + "/diff?against=" + healthy);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return new JsonObject(response.body());
    }

    @Test
    void anUnchangedDomainIsUnchanged() {
        for (int i = 0; i < REPETITIONS; i++) {
            JsonObject diff = changes(checkWith(List.of()));

            assertThat(diff.getJsonArray("lines")).as(diff.encodePrettily()).isEmpty();
            assertThat(diff.getJsonObject("counts").getInteger("unchanged")).isEqualTo(1);
        }
    }

    @Test
    void eachPlannedChangeIsAWorseLineWithItsFinding() {
        List<Fault> faults = FaultCatalogue.faults();
        assertThat(faults).hasSizeGreaterThanOrEqualTo(40);
        SoftAssertions all = new SoftAssertions();
        for (Fault fault : faults) {
            JsonArray lines = changes(checkWith(List.of(fault))).getJsonArray("lines");
            all.assertThat(lines).as(fault.name()).hasSize(1);
            if (lines.size() == 1) {
                JsonObject line = lines.getJsonObject(0);
                all.assertThat(line.getString("change")).as(fault.name()).isEqualTo("worse");
                all.assertThat(line.getJsonArray("findings_added").stream().map(JsonObject.class::cast))
                        .as(fault.name())
                        .anyMatch(finding -> fault.causes(
                                Map.of("code", finding.getString("code"), "module", "" + finding.getString("part"))));
            }
        }
        all.assertAll();
    }
}
