package dev.plumbline.http.web.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.support.SampleModule;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Reports of stored results. */
class ReportViewBuilderTest {
    private static final SampleModule MODULE = new SampleModule();

    /** A result can be older than a change of the codes. */
    @Test
    void findingWithAnUnknownCodeHasTheCodeAsItsTitle() {
        JsonObject result = new JsonObject()
                .put("target", "a.example")
                .put("verdict", "warn")
                .put("findings", new JsonArray().add(finding("made_before")).add(finding("sample_warning")))
                .put("checked_at", "2026-11-20T10:00:00.123Z")
                .put("duration_ms", 1)
                .put("cached", false);

        ReportView view = new ReportViewBuilder(
                        "https://plumbline.example", new ModuleCatalogue(List.of(MODULE)), Clock.systemUTC(), true)
                .build(MODULE.description(), "a.example", result, Map.of(), null);

        assertThat(view.findings())
                .extracting(ReportView.FindingView::title, ReportView.FindingView::message)
                .containsExactly(tuple("made_before", "It is odd."), tuple("Sample warning", "It is odd."));
    }

    private static JsonObject finding(String code) {
        return new JsonObject()
                .put("level", "warn")
                .put("code", code)
                .put("message", "It is odd.")
                .put("action", "Look again.");
    }
}
