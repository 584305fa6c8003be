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
                                .put("made_quick", part("pass").put("message", "A note."))
                                .put("made-slow", part("warn").put("message", "It is odd."))
                                .put(
                                        "made-failing",
                                        part("error")
                                                .put("error", "connect_refused")
                                                .put("error_message", "Connection refused."))));

        assertThat(view.scored()).isFalse();
        assertThat(view.areas()).extracting(CompositeView.Area::title).containsExactly("Web", "DNS");
        assertThat(view.areas().get(0).parts())
                .containsExactly(
                        new CompositeView.Part("Slow part", "warn", "It is odd.", "/check/made-slow/a.example", false),
                        new CompositeView.Part(
                                "Failing part",
                                "error",
                                "Connection refused.",
                                "/check/made-failing/a.example",
                                false));
        assertThat(view.areas().get(1).parts())
                .containsExactly(
                        new CompositeView.Part("Quick part", "pass", "A note.", "/check/made-quick/a.example", false));
    }

    @Test
    void aPartWithoutModuleOrTargetDoesNotHaveALink() {
        JsonObject removed = part("fail").put("module", "made-up-before").put("top_finding", null);
        JsonObject without = new JsonObject()
                .put("module", "made-slow")
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
                        new CompositeView.Part("Slow part", "error", "No response.", null, false),
                        new CompositeView.Part("made-up-before", "fail", "", null, false));
    }

    @Test
    void aResultWithoutPartsDoesNotHaveAView() {
        assertThat(view(new JsonObject())).isNull();
        assertThat(view(new JsonObject().put("parts", new JsonArray()))).isNull();
    }
}
