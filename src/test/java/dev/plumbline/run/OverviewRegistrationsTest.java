package dev.plumbline.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.domain.DomainOverview;
import dev.plumbline.lab.domain.DomainSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The registrations of domains to which the records of a domain refer, in {@code overview}. */
@Tag("integration")
class OverviewRegistrationsTest {
    @TempDir
    static Path folder;

    private static DomainOverview overview;

    @BeforeAll
    static void start() throws Exception {
        overview = new DomainOverview(folder);
    }

    @AfterAll
    static void stop() {
        if (overview != null) {
            overview.close();
        }
    }

    private static void addUnregisteredMailServer(DomainSpec domain) {
        domain.zone().record("@ MX 20 mail.unregistered.test.");
    }

    private static Map<String, Object> part(DomainOverview.Result result, String module) {
        return result.parts().stream()
                .filter(part -> part.get("module").equals(module))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void reportsADomainThatAnybodyCanRegisterAsOneProblem() {
        DomainOverview.Result result = overview.check(List.of(OverviewRegistrationsTest::addUnregisteredMailServer));

        assertThat(result.list("causes"))
                .filteredOn(cause -> cause.get("code").toString().startsWith("dangling_"))
                .singleElement()
                .satisfies(cause -> assertThat(cause)
                        .containsEntry("module", "mx")
                        .containsEntry("code", "dangling_domain_unregistered")
                        .containsEntry("level", "fail")
                        .containsEntry("consequence", "exposed")
                        .containsEntry("parts", List.of("mx", "dns-records"))
                        .extractingByKey("message")
                        .asString()
                        .contains(": unregistered.test."));
        assertThat(part(result, "mx")).containsEntry("verdict", "fail");
        assertThat(part(result, "dns-records")).containsEntry("verdict", "fail");
    }

    @Test
    void doesNotReportADomainWithoutSuchReferences() {
        DomainOverview.Result result = overview.check(List.of());

        assertThat(result.list("causes"))
                .noneMatch(cause -> cause.get("code").toString().startsWith("dangling_"));
        assertThat(part(result, "mx")).containsEntry("verdict", "pass");
    }
}
