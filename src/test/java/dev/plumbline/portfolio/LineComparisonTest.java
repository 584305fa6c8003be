package dev.plumbline.portfolio;

import static dev.plumbline.support.Descriptions.array;
import static dev.plumbline.support.Descriptions.integer;
import static dev.plumbline.support.Descriptions.isVolatile;
import static dev.plumbline.support.Descriptions.number;
import static dev.plumbline.support.Descriptions.unordered;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.portfolio.LineChange.FieldChange;
import dev.plumbline.portfolio.LineChange.Kind;
import dev.plumbline.portfolio.PortfolioLine.LineFinding;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LineComparisonTest {
    private static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("sample", "Sample", InputType.URL)
            .fields(
                    integer("status", "Status", "Status."),
                    isVolatile(number("time_ms", "Time", "Time.")),
                    unordered(array("ips", "Addresses", "Addresses.", FieldType.STRING)))
            .build();

    private static final LineComparison COMPARISON = new LineComparison(MODULE, false);

    /** Parses the members of a line, with apostrophes instead of quotation marks. */
    private static PortfolioLine line(String members) {
        return PortfolioLine.parse(new JsonObject("{" + members.replace('\'', '"') + "}")
                .mergeIn(new JsonObject().put("input", "a.test").put("target", "https://a.test/"))
                .toBuffer()
                .getBytes());
    }

    private static final String FAIL = "{'level':'fail','code':'f'}";
    private static final String WARN = "{'level':'warn','code':'w'}";
    private static final String INFO = "{'level':'info','code':'i'}";

    /** A short form of a line: the verdict, then a letter for each finding, then an error code. */
    private static PortfolioLine shortLine(String text) {
        String[] parts = text.split(" ", -1);
        String findings = parts.length < 2
                ? ""
                : parts[1].replace("F", FAIL + ",")
                        .replace("W", WARN + ",")
                        .replace("I", INFO + ",")
                        .replaceAll(",$", "");
        String error = parts.length < 3 ? "null" : "{'code':'" + parts[2] + "'}";
        String verdict = parts[0].equals("none") ? "null" : "'" + parts[0] + "'";
        return line("'verdict':" + verdict + ",'findings':[" + findings + "],'error':" + error);
    }

    @ParameterizedTest
    @CsvSource({
        "pass, pass, UNCHANGED, true",
        "pass, warn W, WORSE, true",
        "pass, fail F, WORSE, true",
        "fail F, warn W, BETTER, true",
        "warn W, warn WW, WORSE, true",
        "warn WW, warn W, BETTER, true",
        "fail FW, fail FF, WORSE, true",
        "fail FWW, fail FFW, WORSE, true",
        "fail FFW, fail FWW, BETTER, true",
        "fail FW, fail FWI, WORSE, true",
        "pass I, pass, BETTER, true",
        "pass, error, CHANGED, false",
        "error, fail F, CHANGED, false",
        "'error  dns_timeout', 'error  dns_timeout', UNCHANGED, true",
        "'error  dns_timeout', 'error  dns_nxdomain', CHANGED, true",
        "'error  registry_unavailable', 'error  deadline_exceeded', UNCHANGED, true",
        "'error  deadline_exceeded', 'error  unsupported_tld', CHANGED, true",
        "pass, 'fail  connect_refused', WORSE, true",
        "'fail  connect_refused', 'fail  connect_timeout', CHANGED, true",
        "'fail  connect_refused', fail F, WORSE, true",
        "pass, none, CHANGED, false",
        "none, fail F, CHANGED, false",
        "none, none, CHANGED, false",
        "none, error, CHANGED, false"
    })
    void verdictsAndFindingsAreCompared(String before, String after, Kind kind, boolean comparable) {
        LineChange change = COMPARISON.compare(shortLine(before), shortLine(after));

        assertThat(change.kind()).isEqualTo(kind);
        assertThat(change.comparable()).isEqualTo(comparable);
    }

    @Test
    void findingsAreMatchedByPartAndCodeWithoutTheirMessages() {
        LineChange change = COMPARISON.compare(
                line("'verdict':'warn','findings':[{'level':'warn','code':'a','message':'12 days.'},"
                        + "{'level':'warn','code':'b','message':'B.'},{'level':'warn','code':'c','message':'C1.'}]"),
                line(
                        "'verdict':'warn','findings':[{'level':'warn','code':'c','message':'C1.'},"
                                + "{'level':'warn','code':'c','message':'C2.'},{'level':'warn','code':'a','message':'11 days.'}]"));

        assertThat(change.kind()).isEqualTo(Kind.CHANGED);
        assertThat(change.findingsAdded()).extracting(LineFinding::message).containsExactly("C2.");
        assertThat(change.findingsRemoved()).extracting(LineFinding::message).containsExactly("B.");
    }

    @Test
    void problemsOfPartsDifferFromEachOther() {
        String problem = "'verdict':'fail','fields':{'causes':[{'module':'%s','code':'c','level':'fail'}]}";

        LineChange change =
                COMPARISON.compare(line(problem.formatted("hsts")), line(problem.formatted("security-headers")));

        assertThat(change.kind()).isEqualTo(Kind.CHANGED);
        assertThat(change.findingsAdded()).extracting(LineFinding::path).containsExactly("security-headers/c");
        assertThat(change.findingsRemoved()).extracting(LineFinding::path).containsExactly("hsts/c");
    }

    @Test
    void volatileFieldsAreListedOnRequestAndAreNoChange() {
        PortfolioLine before = line("'verdict':'pass','fields':{'status':200,'time_ms':1.5,'ips':['x','y']}");
        PortfolioLine slower = line("'verdict':'pass','fields':{'status':200,'time_ms':9,'ips':['y','x']}");
        PortfolioLine other = line("'verdict':'pass','fields':{'status':204,'time_ms':9,'ips':['y','x']}");
        LineComparison withVolatile = new LineComparison(MODULE, true);

        assertThat(COMPARISON.compare(before, slower).kind()).isEqualTo(Kind.UNCHANGED);
        assertThat(COMPARISON.compare(before, slower).fields()).isEmpty();
        assertThat(withVolatile.compare(before, slower).kind()).isEqualTo(Kind.UNCHANGED);
        assertThat(withVolatile.compare(before, slower).fields()).containsExactly(new FieldChange("time_ms", 9, 1.5));
        assertThat(COMPARISON.compare(before, other).kind()).isEqualTo(Kind.CHANGED);
        assertThat(COMPARISON.compare(before, other).fields()).containsExactly(new FieldChange("status", 204, 200));
        assertThat(withVolatile.compare(before, other).fields())
                .containsExactly(new FieldChange("status", 204, 200), new FieldChange("time_ms", 9, 1.5));
    }

    @Test
    void aValueThatWasNotDeterminedIsNoChange() {
        PortfolioLine before = line("'verdict':'pass','fields':{'status':200,'ips':['x']}");
        PortfolioLine refused =
                line("'verdict':'fail','fields':{'status':null,'ips':['y']}," + "'error':{'code':'connect_refused'}");

        assertThat(COMPARISON.compare(before, refused).fields())
                .containsExactly(new FieldChange("ips", List.of("y"), List.of("x")));
        assertThat(COMPARISON.compare(refused, before).fields())
                .containsExactly(new FieldChange("ips", List.of("x"), List.of("y")));
        assertThat(COMPARISON
                        .compare(before, line("'verdict':'pass','fields':{'status':null,'ips':['x']}"))
                        .fields())
                .containsExactly(new FieldChange("status", null, 200));
    }

    @Test
    void aFieldThatOnlyOneResultContainsIsNotCompared() {
        PortfolioLine all = line("'verdict':'pass','fields':{'status':200,'time_ms':1,'ips':['x']}");
        PortfolioLine some = line("'verdict':'pass','fields':{'ips':['x']}");
        PortfolioLine other = line("'verdict':'pass','fields':{'ips':['y']}");
        PortfolioLine unfinished = line("'verdict':null");

        for (LineComparison comparison : List.of(COMPARISON, new LineComparison(MODULE, true))) {
            assertThat(comparison.compare(all, some).kind()).isEqualTo(Kind.UNCHANGED);
            assertThat(comparison.compare(some, all).fields()).isEmpty();
            assertThat(comparison.compare(all, other).fields())
                    .containsExactly(new FieldChange("ips", List.of("y"), List.of("x")));
        }
        assertThat(COMPARISON.notCompared(all, some)).containsExactly("status");
        assertThat(new LineComparison(MODULE, true).notCompared(some, all)).containsExactly("status", "time_ms");
        assertThat(COMPARISON.notCompared(all, all)).isEmpty();
        assertThat(COMPARISON.notCompared(all, unfinished)).isEmpty();
    }

    @Test
    void problemsOfPartsAreComparedByLevelIfOnlyOneResultContainsThem() {
        PortfolioLine all = line("'verdict':'fail','fields':{'causes':["
                + "{'module':'hsts','code':'a','level':'fail'},{'module':'dmarc','code':'b','level':'warn'}]},"
                + "'findings':[{'level':'fail','code':'part_fail'},{'level':'warn','code':'part_warn'}]");
        PortfolioLine some = line("'verdict':'fail','fields':{},"
                + "'findings':[{'level':'fail','code':'part_fail'},{'level':'warn','code':'part_warn'}]");
        PortfolioLine worse = line("'verdict':'fail','fields':{},"
                + "'findings':[{'level':'fail','code':'part_fail'},{'level':'fail','code':'part_fail'}]");

        assertThat(COMPARISON.compare(all, some).kind()).isEqualTo(Kind.UNCHANGED);
        assertThat(COMPARISON.compare(some, all).kind()).isEqualTo(Kind.UNCHANGED);
        LineChange change = COMPARISON.compare(all, worse);
        assertThat(change.kind()).isEqualTo(Kind.WORSE);
        assertThat(change.findingsAdded()).extracting(LineFinding::path).containsExactly("part_fail");
        assertThat(change.findingsRemoved()).extracting(LineFinding::path).containsExactly("part_warn");
    }

    private static final String COMPOSITE = "'verdict':'%s','fields':{'causes':[%s],'parts':[%s]}";

    private static final ModuleDescription COMPOSITE_MODULE = ModuleDescriptionBuilder.of(
                    "all", "All", InputType.DOMAIN)
            .fields(
                    unordered(array("causes", "Problems", "Problems.", FieldType.OBJECT)),
                    unordered(array("parts", "Parts", "Parts.", FieldType.OBJECT)))
            .build();

    /**
     * A composite with the parts {@code r} and {@code o}.
     *
     * @param text the verdict, the code of {@code r}, then that of {@code o}: an error of the service if it has an
     *     underscore, a failure, or {@code -} for a passed part
     */
    private static PortfolioLine composite(String text) {
        String[] codes = text.split(" ", -1);
        StringBuilder causes = new StringBuilder();
        StringBuilder parts = new StringBuilder();
        for (int i = 1; i < codes.length; i++) {
            String module = i == 1 ? "r" : "o";
            String level = codes[i].contains("_") ? "info" : "fail";
            if (!codes[i].equals("-")) {
                causes.append(causes.isEmpty() ? "" : ",")
                        .append("{'module':'%s','code':'%s','level':'%s','parts':['%s']}"
                                .formatted(module, codes[i], level, module));
            }
            parts.append(i == 1 ? "" : ",").append("{'module':'%s','code':'%s'}".formatted(module, codes[i]));
        }
        return line(COMPOSITE.formatted(codes[0], causes, parts));
    }

    /** A wait for a limit of the service ends with an error that is not a statement about the target. */
    @ParameterizedTest
    @CsvSource({
        "pass registry_unavailable -, pass deadline_exceeded -, UNCHANGED, true, '', ''",
        "fail registry_unavailable -, fail deadline_exceeded x, WORSE, true, o/x, ''",
        "fail registry_unavailable x, fail deadline_exceeded y, CHANGED, true, o/y, o/x",
        "pass - -, pass deadline_exceeded -, CHANGED, false, r/deadline_exceeded, ''",
        "pass deadline_exceeded -, pass - -, CHANGED, false, '', r/deadline_exceeded",
        "fail x -, pass deadline_exceeded -, CHANGED, false, r/deadline_exceeded, ''",
        "pass deadline_exceeded -, fail x -, CHANGED, false, '', r/deadline_exceeded",
        "pass - -, fail deadline_exceeded x, WORSE, false, 'r/deadline_exceeded,o/x', ''",
        "fail x x, fail deadline_exceeded -, BETTER, false, r/deadline_exceeded, o/x",
    })
    void aPartThatWasNotDeterminedIsNotCompared(
            String before, String after, Kind kind, boolean comparable, String added, String removed) {
        LineChange change = new LineComparison(COMPOSITE_MODULE, false).compare(composite(before), composite(after));

        assertThat(change.kind()).isEqualTo(kind);
        assertThat(change.comparable()).isEqualTo(comparable);
        assertThat(change.findingsAdded().stream().map(LineFinding::path)).containsExactlyElementsOf(paths(added));
        assertThat(change.findingsRemoved().stream().map(LineFinding::path)).containsExactlyElementsOf(paths(removed));
        assertThat(change.fields().isEmpty()).isEqualTo(!comparable || kind == Kind.UNCHANGED);
    }

    private static List<String> paths(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(",", -1));
    }

    @Test
    void aPartThatWasNotDeterminedIsNotComparedByLevelEither() {
        PortfolioLine all = composite("fail deadline_exceeded x");
        String some = "'verdict':'%s','fields':{},'findings':[%s]";
        String partFail = "{'level':'fail','code':'part_fail'}";
        String partError = "{'level':'info','code':'part_error'}";
        LineComparison comparison = new LineComparison(COMPOSITE_MODULE, false);

        LineChange same = comparison.compare(all, line(some.formatted("fail", partFail + "," + partError)));
        LineChange fewer = comparison.compare(all, line(some.formatted("pass", "")));

        assertThat(same.kind()).isEqualTo(Kind.UNCHANGED);
        assertThat(same.comparable()).isTrue();
        assertThat(fewer.kind()).isEqualTo(Kind.CHANGED);
        assertThat(fewer.comparable()).isFalse();
    }

    @Test
    void theMembersAreThoseOfTheApi() {
        LineChange change = COMPARISON.compare(
                line("'index':3,'verdict':'pass','fields':{'status':200},'rules':'sample/1'"),
                line("'index':5,'verdict':'fail','fields':{'status':404},'rules':'sample/2',"
                        + "'findings':[{'level':'fail','code':'f','message':'F.'}]"));

        assertThat(change.rulesChanged()).isTrue();
        assertThat(new JsonObject(change.toMap()).encode())
                .isEqualTo("{\"target\":\"https://a.test/\",\"change\":\"worse\",\"index\":5,\"against_index\":3,"
                        + "\"verdict\":\"fail\",\"against_verdict\":\"pass\",\"findings_added\":[{\"part\":null,"
                        + "\"code\":\"f\",\"level\":\"fail\",\"message\":\"F.\"}],\"findings_removed\":[],"
                        + "\"fields\":[{\"name\":\"status\",\"value\":404,\"against_value\":200}],"
                        + "\"rules\":\"sample/2\",\"against_rules\":\"sample/1\","
                        + "\"rules_changed\":[{\"rules\":\"sample/2\",\"against_rules\":\"sample/1\"}],"
                        + "\"error_code\":null,\"against_error_code\":null}");
    }

    /** The rules of each part that both results contain and that recorded it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[{'module':'hsts','rules':'hsts/1'}] | [{'module':'hsts','rules':'hsts/2'}] | hsts/1 → hsts/2",
                "{'hsts':{'rules':'hsts/1'}} | {'hsts':{'rules':'hsts/2'}} | hsts/1 → hsts/2",
                "[{'rules':'mx/1'},{'rules':'spf/1'}] | [{'rules':'spf/3'},{'rules':'mx/2'}] | spf/1 → spf/3, mx/1 → mx/2",
                "[{'module':'hsts','rules':'hsts/1'}] | [{'module':'hsts','rules':'hsts/1'}] | ''",
                "[{'module':'hsts'}] | [{'module':'hsts','rules':'hsts/1'}] | ''",
                "[{'module':'hsts','rules':null}] | [{'module':'hsts','rules':'hsts/1'}] | ''",
                "[{'module':'hsts','rules':'hsts/1'}] | [{'module':'mx','rules':'mx/2'}] | ''",
                "[1, null] | 2 | ''",
            })
    void changedRulesOfPartsAreListed(String before, String after, String expected) {
        String line = "'verdict':'pass','rules':'overview/1','fields':{'parts':%s}";

        LineChange change = COMPARISON.compare(line(line.formatted(before)), line(line.formatted(after)));

        assertThat(change.rulesText()).isEqualTo(expected);
        assertThat(change.rulesChanged()).isEqualTo(!expected.isEmpty());
        assertThat(change.kind()).isEqualTo(Kind.UNCHANGED);
    }

    @Test
    void aTargetOnOneSideIsNewOrGone() {
        PortfolioLine line = line("'index':7,'verdict':'fail','rules':'sample/1','findings':[" + FAIL + "]");

        LineChange added = COMPARISON.ofNew(line);
        LineChange gone = COMPARISON.ofGone(line);

        assertThat(added.kind()).isEqualTo(Kind.NEW);
        assertThat(added.index()).isEqualTo(7);
        assertThat(added.againstIndex()).isNull();
        assertThat(added.findingsAdded()).extracting(LineFinding::code).containsExactly("f");
        assertThat(gone.kind()).isEqualTo(Kind.GONE);
        assertThat(gone.index()).isNull();
        assertThat(gone.againstIndex()).isEqualTo(7);
        assertThat(gone.findingsRemoved()).extracting(LineFinding::code).containsExactly("f");
        assertThat(List.of(added, gone)).allMatch(LineChange::comparable).noneMatch(LineChange::rulesChanged);
        assertThat(COMPARISON.ofNew(line("'verdict':null")).comparable()).isFalse();
        assertThat(COMPARISON.ofGone(line("'verdict':null")).comparable()).isTrue();
    }

    @Test
    void aLineWithoutAResultHasTheTargetOfItsInput() {
        PortfolioLine cancelled = PortfolioLine.parse(
                "{\"input\":\"A.test\",\"state\":\"cancelled\",\"target\":null,\"verdict\":null}".getBytes(UTF_8));
        PortfolioLine invalid =
                PortfolioLine.parse("{\"input\":\"no target\",\"target\":null,\"verdict\":\"error\"}".getBytes(UTF_8));

        assertThat(COMPARISON.target(cancelled)).isEqualTo("https://a.test/");
        assertThat(COMPARISON.target(invalid)).isEqualTo("no target");
    }
}
