package dev.plumbline.module.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.Message;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.LabRunner;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ResultJson;
import dev.plumbline.support.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The part {@code rpki} of {@code overview}. */
@Tag("integration")
class OverviewRpkiTest {
    @TempDir
    Path folder;

    private static CheckResult check(Map<String, String> settings) throws Exception {
        try (DnsLab dns = DnsLab.start()) {
            dns.address("site.test", "127.0.0.1")
                    .empty("www.site.test")
                    .record("site.test. 60 IN NS ns.site.test.")
                    .address("ns.site.test", "127.0.0.2")
                    .record("1.0.0.127.origin.test. 60 IN TXT \"64497 | 127.0.0.0/24 | XX | lab |\"")
                    .record("2.0.0.127.origin.test. 60 IN TXT \"64496 | 127.0.0.0/24 | XX | lab |\"");
            try (LabRunner runner = LabRunner.start(dns, settings)) {
                Message.RunReply reply =
                        Await.value(runner.start("overview", "site.test", Map.of("areas", List.of("dns"))));
                return ResultJson.read(((Message.CompletedCheck) reply).json());
            }
        }
    }

    private static List<Map<?, ?>> rpki(CheckResult result) {
        return ((List<?>) result.fields().get("parts"))
                .stream()
                        .<Map<?, ?>>map(part -> (Map<?, ?>) part)
                        .filter(part -> "rpki".equals(part.get("module")))
                        .toList();
    }

    @Test
    void reportsInvalidRoutesAsAProblem() throws Exception {
        Path payloads = Files.writeString(
                folder.resolve("payloads.json"),
                "{\"roas\":[{\"asn\":64496,\"prefix\":\"127.0.0.0/24\",\"maxLength\":24}]}");

        CheckResult result = check(
                Map.of("PLUMBLINE_RPKI_VALIDATOR", payloads.toString(), "PLUMBLINE_ASN_ZONES", "ipv4=origin.test"));

        assertThat(rpki(result)).hasSize(1);
        assertThat(rpki(result).get(0).get("verdict")).isEqualTo("fail");
        assertThat(result.fields().get("causes").toString())
                .contains("code=rpki_invalid", "The route 127.0.0.0/24 from AS64497 of site.test is invalid.");
    }

    /** Each domain would have a problem that its owner cannot fix. */
    @Test
    void existsOnlyWithAValidator() throws Exception {
        CheckResult result = check(Map.of());

        assertThat(rpki(result)).isEmpty();
        assertThat(result.fields().get("causes").toString()).doesNotContain("rpki", "not_configured");
    }
}
