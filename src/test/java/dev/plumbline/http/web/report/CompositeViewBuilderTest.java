package dev.plumbline.http.web.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.support.SampleComposite;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Parts of composite reports from each form of the field {@code parts}. */
class CompositeViewBuilderTest {
    private static final SampleComposite COMPOSITE = new SampleComposite();
    private static final ModuleCatalogue MODULES = new ModuleCatalogue(List.of(
            COMPOSITE,
            new SampleComposite.QuickPart(),
            new SampleComposite.SlowPart(),
            new SampleComposite.FailingPart()));

    private static CompositeView view(JsonObject fields) {
        return new CompositeViewBuilder(MODULES).of(COMPOSITE.description(), fields);
    }

    private static JsonObject part(String verdict) {
        return new JsonObject().put("target", "a.example").put("verdict", verdict);
    }

    @Test
    void anObjectHasAMemberForEachPart() {
        CompositeView view = view(new JsonObject()
                .put(
                        "parts",
                        new JsonObject()
                                .put("sample_quick", part("pass").put("message", "A note."))
                                .put("sample-slow", part("warn").put("message", "It is odd."))
                                .put(
                                        "sample-failing",
                                        part("error")
                                                .put("error", "connect_refused")
                                                .put("error_message", "Connection refused."))));

        assertThat(view.scored()).isFalse();
        assertThat(view.areas()).extracting(CompositeView.Area::title).containsExactly("Web", "DNS");
        assertThat(view.areas().get(0).parts())
                .containsExactly(
                        new CompositeView.Part(
                                "Slow part", "warn", "It is odd.", "/check/sample-slow/a.example", false, false),
                        new CompositeView.Part(
                                "Failing part",
                                "error",
                                "Connection refused.",
                                "/check/sample-failing/a.example",
                                false,
                                false));
        assertThat(view.areas().get(1).parts())
                .containsExactly(new CompositeView.Part(
                        "Quick part", "pass", "A note.", "/check/sample-quick/a.example", false, false));
    }

    @Test
    void theSummaryNamesTheAreasThatDoNotWork() {
        JsonObject unavailable = new JsonObject()
                .put("module", "sample-slow")
                .put("level", "fail")
                .put("consequence", "unavailable")
                .put("message", "Connection refused.")
                .put(
                        "parts",
                        new JsonArray().add("sample-slow").add("sample-failing").add("sample-quick"));
        JsonObject fields = new JsonObject()
                .put(
                        "parts",
                        new JsonObject()
                                .put("sample-slow", part("fail"))
                                .put("sample-failing", part("error"))
                                .put("sample-quick", part("warn")))
                .put("areas", new JsonObject().put("web", new JsonObject().put("verdict", "fail")))
                .put("fix_first", new JsonArray().add(unavailable))
                .put("causes", new JsonArray().add(unavailable).add(new JsonObject().put("level", "info")));

        CompositeView oneArea = view(fields);
        fields.getJsonObject("parts").put("sample-quick", part("fail"));
        CompositeView allAreas = view(fields);
        CompositeView exposed =
                view(fields.put("causes", new JsonArray().add(unavailable.copy().put("consequence", "exposed"))));

        assertThat(oneArea.summary()).isEqualTo("Web does not work. 1 problem.");
        assertThat(oneArea.limited()).isTrue();
        assertThat(oneArea.othersLabel()).isEqualTo("1 check not determined");
        assertThat(oneArea.areas().get(1).expanded()).isEmpty();
        assertThat(allAreas.summary()).isEqualTo("Web and DNS do not work. 1 problem.");
        assertThat(exposed.summary()).isEqualTo("Connection refused.");
        assertThat(exposed.limited()).isFalse();
        fields.put("fix_first", new JsonArray())
                .put("causes", new JsonArray().add(unavailable).add(new JsonObject().put("level", "info")));
        assertThat(view(fields).othersLabel()).isEqualTo("1 other problem, 1 check not determined");
    }

    @Test
    void aPartWithoutModuleOrTargetDoesNotHaveALink() {
        JsonObject removed = part("fail").put("module", "made-up-before").put("top_finding", null);
        JsonObject without = new JsonObject()
                .put("module", "sample-slow")
                .put("target", null)
                .put("verdict", "error")
                .put("error", new JsonObject().put("code", "dns_timeout").put("message", "No response."));

        CompositeView view =
                view(new JsonObject().put("parts", new JsonArray().add(removed).add(without)));

        assertThat(view.areas()).extracting(CompositeView.Area::title).containsExactly("Web", "Other");
        assertThat(view.areas())
                .extracting(CompositeView.Area::collapsedCounts, CompositeView.Area::expandedCounts)
                .containsExactly(tuple("1 not determined", ""), tuple("", "1 failed"));
        assertThat(view.areas())
                .flatExtracting(CompositeView.Area::parts)
                .containsExactly(
                        new CompositeView.Part("Slow part", "error", "No response.", null, false, false),
                        new CompositeView.Part("made-up-before", "fail", "", null, false, false));
    }

    @Test
    void aResultWithoutPartsDoesNotHaveAView() {
        assertThat(view(new JsonObject())).isNull();
        assertThat(view(new JsonObject().put("parts", new JsonArray()))).isNull();
    }
}
