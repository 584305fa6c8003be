package dev.plumbline.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TracerTest {
    private static final TraceParent PARENT =
            TraceParent.parse("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00");

    private final List<FinishedSpan> finished = new ArrayList<>();

    private Tracer tracer(double ratio) {
        return new Tracer(ratio, false, finished::add);
    }

    @Test
    void headerIsReadAndWritten() {
        assertThat(PARENT.traceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
        assertThat(PARENT.text()).isEqualTo("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        assertThat(TraceParent.parse("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-later"))
                .isEqualTo(PARENT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-extra",
            })
    void malformedHeadersAreIgnored(String header) {
        assertThat(TraceParent.parse(header)).isNull();
    }

    @Test
    void aboutTheConfiguredShareOfTracesIsRecorded() {
        Tracer tracer = tracer(0.25);
        for (int i = 0; i < 4_000; i++) {
            tracer.root("operation", Span.Kind.SERVER).end();
        }
        assertThat(finished.size()).isBetween(800, 1_200);
        finished.clear();

        tracer(0).root("operation", Span.Kind.SERVER).end();
        assertThat(finished).isEmpty();
        tracer(1).root("operation", Span.Kind.SERVER).end();
        assertThat(finished).hasSize(1);
    }

    @Test
    void partsOfATraceThatIsNotRecordedAreNotRecorded() {
        Span root = tracer(0).trusted(PARENT, "operation", Span.Kind.SERVER);
        Span part = root.child("part");
        part.set("name", "value").end();

        assertThat(part.context()).isNull();
        assertThat(finished).isEmpty();
    }

    @Test
    void spansBeforeTheDecisionGetTheTraceOfTheDecision() {
        for (boolean trusted : new boolean[] {true, false}) {
            finished.clear();
            Span root = tracer(1).undecided(PARENT, "request", Span.Kind.SERVER);
            Span part = root.child("lookup of the key");
            part.end();
            assertThat(finished).isEmpty();
            assertThat(root.parentUndecided()).isTrue();

            root.decideParent(trusted);
            root.decideParent(!trusted);
            root.end();
            root.end();

            assertThat(finished).extracting(FinishedSpan::name).containsExactly("lookup of the key", "request");
            assertThat(finished).allSatisfy(span -> assertThat(span.traceId().equals(PARENT.traceId()))
                    .isEqualTo(trusted));
            assertThat(finished.get(1).parentId()).isEqualTo(trusted ? PARENT.spanId() : 0);
            assertThat(finished.get(0).parentId()).isEqualTo(finished.get(1).spanId());
        }
    }

    @Test
    void targetsAreRecordedOnlyIfEnabled() {
        Tracer withTargets = new Tracer(1, true, finished::add);
        tracer(1).root("one", Span.Kind.CLIENT).setTarget("host", "example.com").end();
        withTargets
                .root("two", Span.Kind.CLIENT)
                .setTarget("host", "example.com")
                .end();

        assertThat(finished.get(0).attributes()).isEmpty();
        assertThat(finished.get(1).attributes()).containsEntry("host", "example.com");
    }
}
