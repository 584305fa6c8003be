package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.Consequence;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.FindingText;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.sheet.SheetReader;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SheetModuleTest {
    private static final String SHEET =
            """
      title: Page age
      summary: Reports the age of a page.
      category: web
      version: 3
      input: url
      example: https://example.com/
      options:
        warn_days: {type: integer, title: Warning threshold, description: Days., default: 30, min: 0, max: 90}
      fields:
        age_days: integer? Not dated | Age | Days since the last change.
        state: string(fresh, old) | State | Whether the page is old.
        changes: object[] | Changes | The changes.
        changes.at: time | Time | The time of the change.
        changes.tags: string[] | Tags | Its tags.
      groups:
        Age: [state, age_days]
        History: [changes]
      headline:
        old_page: old, {age_days} days
        otherwise: '{state}'
      findings:
        old_page:
          title: Old page
          warn: The page is {days} days old. Tags are {tags}.
          consequence: degraded
          field: age_days
          action: Update `{path}`.
          reference: RFC 9110 section 8.8.2
        no_date: {title: No date, info: The page has no date., action: Send Last-Modified.}
      """;

    enum State {
        FRESH,
        OLD
    }

    record Change(Instant at, List<String> tags) {}

    record Report(@Nullable Long ageDays, State state, List<Change> changes) {}

    interface Findings extends FindingCollector {
        void oldPage(double days, List<String> tags, String path);

        void noDate();
    }

    private static final class PageAge implements CheckModule<Long, Report, Findings> {
        @Override
        public Future<Long> collect(Target target, CheckContext context) {
            return Future.succeededFuture(0L);
        }

        @Override
        public @Nullable Report evaluate(Long days, Options options, Findings findings) {
            if (days < 0) {
                findings.error(new CheckError(ErrorCode.READ_TIMEOUT, "no response"));
                return null;
            }
            if (days > options.integer("warn_days")) {
                findings.oldPage(days, List.of("a", "b", "c", "d", "e", "f", "g"), "`x`\u202e" + "y".repeat(300));
            } else {
                findings.noDate();
            }
            assertThat(findings.codes()).hasSize(1);
            return new Report(
                    days, days > 30 ? State.OLD : State.FRESH, List.of(new Change(Instant.EPOCH, List.of("t"))));
        }
    }

    private static SheetModule<Long, Report, Findings> module(String sheet) {
        return SheetModule.load(
                new PageAge(), List.of(), Map.of(), file -> file.equals("page-age.yaml") ? sheet : null);
    }

    @Test
    void reportsFieldsByTheirDeclaredNames() {
        Evaluation judgement = evaluate(40);

        assertThat(judgement.fields())
                .containsEntry("age_days", 40L)
                .containsEntry("state", "old")
                .containsEntry("changes", List.of(Map.of("at", Instant.EPOCH, "tags", List.of("t"))));
        assertThat(judgement.error()).isNull();
    }

    @Test
    void fillsPlaceholdersWithShortPrintableText() {
        Finding finding = evaluate(40).findings().get(0);

        assertThat(finding.code()).isEqualTo("old_page");
        assertThat(finding.level()).isEqualTo(Level.WARN);
        assertThat(finding.message()).isEqualTo("The page is 40 days old. Tags are a, b, c, d, e and 2 more.");
        assertThat(finding.action())
                .startsWith("Update `'x' yyy")
                .endsWith("y…`.")
                .hasSizeLessThan(220);
        assertThat(finding.reference()).isEqualTo("RFC 9110 section 8.8.2");
    }

    @Test
    void joinsSentencesWithSpacesAndValuesWithCommas() {
        assertThat(FindingText.of(List.of("Line 1: x.", "Line 2: y."))).isEqualTo("Line 1: x. Line 2: y.");
        assertThat(FindingText.of(List.of("a.test.", "b.test."))).isEqualTo("a.test., b.test.");
    }

    @Test
    void returnsNoFieldsWithAnErrorAlone() {
        Evaluation judgement = evaluate(-1);

        assertThat(judgement.fields()).isEmpty();
        assertThat(judgement.error()).isNotNull();
    }

    record PageSize(long bytes) {}

    record SizeReport(@JsonUnwrapped PageSize size, boolean large) {}

    private static final class LargePage implements CheckModule<Long, SizeReport, FindingCollector> {
        @Override
        public Future<Long> collect(Target target, CheckContext context) {
            return Future.succeededFuture(0L);
        }

        @Override
        public SizeReport evaluate(Long bytes, Options options, FindingCollector findings) {
            return new SizeReport(new PageSize(bytes), bytes > 1_000);
        }
    }

    @Test
    void unwrapsASharedRecordWhoseFieldsAnIncludedSheetDeclares() {
        Map<String, String> files = Map.of(
                "size.yaml", "fields: {bytes: integer | Bytes | The size of the page.}",
                "large-page.yaml",
                        """
                title: Large page
                summary: Reports the size of a page.
                category: web
                version: 3
                input: url
                example: https://example.com/
                include: size
                fields: {large: boolean | Large | Whether the page is large.}
                """);
        SheetModule<Long, SizeReport, FindingCollector> module =
                SheetModule.load(new LargePage(), List.of(), Map.of(), files::get);

        Evaluation evaluation = module.evaluate(2_000L, Options.defaults(module.description()));

        assertThat(evaluation.fields().keySet()).containsExactly("bytes", "large");
        assertThat(evaluation.fields()).containsEntry("bytes", 2_000L).containsEntry("large", true);
    }

    private static final String SHARED_FINDING =
            """
            findings:
              large: {title: Large page, warn: The page is large., field: bytes, action: Remove images.}
            """;

    interface LargeFindings extends FindingCollector {
        void large();
    }

    static final class SharedFinding implements CheckModule<Long, PageSize, LargeFindings> {
        @Override
        public Future<Long> collect(Target target, CheckContext context) {
            return Future.succeededFuture(2_000L);
        }

        @Override
        public PageSize evaluate(Long bytes, Options options, LargeFindings findings) {
            findings.large();
            return new PageSize(bytes);
        }
    }

    private static SheetModule<Long, PageSize, LargeFindings> sharedFinding(String large) {
        Map<String, String> files = Map.of(
                "size.yaml", "fields: {bytes: integer | Bytes | The size of the page.}\n" + SHARED_FINDING,
                "shared-finding.yaml",
                        """
                title: Page size
                summary: Reports the size of a page.
                category: web
                version: 3
                input: url
                example: https://example.com/
                include: size
                findings:
                """
                                + "  large: " + large);
        return SheetModule.load(new SharedFinding(), List.of(), Map.of(), files::get);
    }

    @Test
    void addsTheConsequenceToAFindingOfAnIncludedSheet() {
        FindingCode code = sharedFinding("{consequence: degraded, explains: [read_timeout]}")
                .description()
                .findings()
                .get(0);

        assertThat(code.message()).isEqualTo("The page is large.");
        assertThat(code.consequence()).isEqualTo(Consequence.DEGRADED);
        assertThat(code.explains()).containsExactly("read_timeout");
    }

    private static SheetModule<Long, Report, Findings> withSharedTitles(String sheet) {
        Map<String, String> files = Map.of(
                "page-age.yaml",
                sheet,
                "findings.yaml",
                "findings: {old_page: {title: Page not updated}, other: {title: Not used}}");
        return SheetModule.load(new PageAge(), List.of(), SheetReader.titles(files::get), files::get);
    }

    @Test
    void takesTheTitleOfAFindingOfSeveralSheetsFromTheSharedSheet() {
        assertThat(withSharedTitles(SHEET.replace("    title: Old page\n", ""))
                        .description()
                        .findings())
                .extracting(FindingCode::code, FindingCode::title)
                .containsExactly(tuple("old_page", "Page not updated"), tuple("no_date", "No date"));
    }

    @Test
    void rejectsASecondTitle() {
        assertThatThrownBy(() -> withSharedTitles(SHEET))
                .hasMessageContaining("finding old_page: findings.yaml declares the title");
    }

    @Test
    void rejectsAnotherMessageForAFindingOfAnIncludedSheet() {
        assertThatThrownBy(() -> sharedFinding("{fail: The page is too large., consequence: degraded}"))
                .hasMessageContaining("finding large: the included sheet declares it");
    }

    private static Evaluation evaluate(long days) {
        SheetModule<Long, Report, Findings> module = module(SHEET);
        return module.evaluate(days, Options.defaults(module.description()));
    }

    @Test
    void readsOptionsWithTheirBounds() {
        OptionDescription option = module(SHEET).description().option("warn_days");

        assertThat(option.defaultValue()).isEqualTo(30L);
        assertThat(option.max()).isEqualTo(90);
    }

    @Test
    void readsGroupsAndTheMeaningOfNull() {
        List<FieldDescription> fields = module(SHEET).description().fields();

        assertThat(fields).extracting(FieldDescription::group).containsExactly("Age", "Age", "History");
        assertThat(fields.get(0).nullText()).isEqualTo("Not dated");
        assertThat(fields.get(1).nullText()).isNull();
        assertThat(module(SHEET.replace("integer? Not dated", "integer?"))
                        .description()
                        .fields()
                        .get(0)
                        .nullText())
                .isEqualTo(FieldDescription.NOT_DETERMINED);
    }

    @Test
    void readsVolatileFieldsAndArraysWithoutOrder() {
        List<FieldDescription> fields = module(SHEET.replace("age_days: integer", "age_days: volatile integer")
                        .replace("changes: object[]", "changes: unordered object[]")
                        .replace("changes.at: time", "changes.at: volatile time"))
                .description()
                .fields();

        assertThat(fields).extracting(FieldDescription::isVolatile).containsExactly(true, false, false);
        assertThat(fields).extracting(FieldDescription::ordered).containsExactly(true, true, false);
        assertThat(fields.get(2).members())
                .extracting(FieldDescription::isVolatile, FieldDescription::ordered)
                .containsExactly(tuple(true, true), tuple(false, true));
        assertThat(fields.get(0).inResultWithError().isVolatile()).isTrue();
    }

    @Test
    void readsVolatileMembersOfObjectsWithoutDeclaredMembers() {
        ModuleDescription description = SheetReader.read(
                "headers",
                List.of(),
                Map.of(),
                file ->
                        """
                        title: Headers
                        summary: Reports headers.
                        category: web
                        version: 3
                        input: url
                        example: https://example.com/
                        fields:
                          headers: object | Headers | The headers by name.
                          headers.set-cookie: volatile
                          headers.date: volatile
                        """);

        assertThat(description.fields()).singleElement().satisfies(field -> {
            assertThat(field.volatileMembers()).containsExactly("set-cookie", "date");
            assertThat(field.members()).isEmpty();
        });
    }

    static Stream<Arguments> mismatches() {
        return Stream.of(
                arguments(
                        "state: string",
                        "state: unordered string",
                        "page-age.yaml: field state: unordered requires an array"),
                arguments("state: string", "state: unstable string", "page-age.yaml: field state: expected TYPE"),
                arguments("state: string", "state: volatile unordered string", "field state: expected TYPE"),
                arguments(
                        "changes.at: time | Time | The time of the change.",
                        "changes.at: volatile",
                        "page-age.yaml: field changes: volatile members without a type require an object"),
                arguments(
                        "changes.at: time | Time | The time of the change.",
                        "change.at: volatile",
                        "field change.at: declare change before it"),
                arguments(
                        "Tags | Its tags.",
                        "Tags | Its tags.\n  changes.tags.first: volatile",
                        "field changes.tags: volatile members without a type require an object"),
                arguments(
                        "integer?", "number?", "field age_days: declared as number, but the component is of type Long"),
                arguments(
                        "age_days: integer? Not dated",
                        "age_days: integer",
                        "field age_days: the component is @Nullable; add ? to the type"),
                arguments(
                        "changes.at: time",
                        "changes.at: time?",
                        "field changes.at: nullable, but the component is not @Nullable"),
                arguments(
                        "state: string(fresh, old)",
                        "state: string(fresh)",
                        "field state: values [fresh], but State has [fresh, old]"),
                arguments(
                        "changes.tags: string[]",
                        "changes.tags: integer[]",
                        "field changes.tags: declared as array of integer"),
                arguments("changes.at:", "changes.when:", "component changes.at: the sheet declares no such field"),
                arguments("changes.at:", "changes.when:", "field changes.when: Change has no such component"),
                arguments(
                        "{days}",
                        "{weeks}",
                        "finding old_page: placeholders [path, tags, weeks], but the method has parameters [days, "
                                + "tags, path]"),
                arguments("no_date:", "no_time:", "finding no_time: Findings has no such method"),
                arguments("no_date:", "no_time:", "method noDate: the sheet declares no such finding"),
                arguments("field: age_days", "field: age", "finding old_page: field age is not declared"),
                arguments("title: Page age", "titel: Page age", "Unrecognized field \"titel\""),
                arguments("warn: The", "wran: The", "Unrecognized field \"wran\""),
                arguments("    consequence: degraded\n", "", "finding old_page: consequence is required"),
                arguments("title: No date", "title: No date, consequence: exposed", "info does not have a consequence"),
                arguments("title: Old page", "level_reason: It is old.", "finding old_page: title is required"),
                arguments("title: Old page", "title: Old pages. " + "x".repeat(60), "the title must start with"),
                arguments(
                        "title: Old page",
                        "title: Page {days} days old",
                        "finding old_page: the title must start with"),
                arguments("title: Old page", "title: old page", "finding old_page: the title must start with"),
                arguments("title: Old page", "title: Old page.", "finding old_page: the title must start with"),
                arguments("summary: Reports", "title: Reports", "Duplicate field 'title'"),
                arguments("category: web", "default_port: 1", "category is required"),
                arguments("version: 3\n", "", "page-age: version is required, from 1"),
                arguments("version: 3", "version: 0", "page-age: version is required, from 1"),
                arguments("version: 3", "version: one", "page-age.yaml"),
                arguments("category: web", "category: web\ndefault_for: [host]", "default_for: use domain or ip"),
                arguments("version: 3\n", "", "page-age: version is required, from 1"),
                arguments("version: 3", "version: 0", "page-age: version is required, from 1"),
                arguments("version: 3", "version: one", "page-age.yaml"),
                arguments("category: web", "category: web\ndefault_for: [page]", "not one of the values"),
                arguments("changes: object[]", "change: object[]", "field changes.at: declare changes before it"),
                arguments("[state, age_days]", "[state]", "field age_days: add it to a group"),
                arguments("[changes]", "[changes, state]", "field state: in the groups Age and History"),
                arguments("[changes]", "[changes, tags]", "group History: field tags is not declared"),
                arguments("old, {age_days}", "old, {age}", "headline old_page: field age is not declared"),
                arguments("State | Whether", "State, whether", "field state: expected TYPE"));
    }

    @ParameterizedTest(name = "{2}")
    @MethodSource("mismatches")
    void namesEveryMismatch(String text, String replacement, String fault) {
        String sheet = SHEET.replace(text, replacement);

        assertThat(sheet).isNotEqualTo(SHEET);
        assertThatThrownBy(() -> module(sheet))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(fault);
    }

    @Test
    void namesTheSheetThatDoesNotExist() {
        assertThatThrownBy(() -> SheetModule.load(new PageAge())).hasMessage("page-age.yaml: the file does not exist");
    }
}
