package dev.plumbline.portfolio;

import static dev.plumbline.support.Descriptions.array;
import static dev.plumbline.support.Descriptions.bool;
import static dev.plumbline.support.Descriptions.integer;
import static dev.plumbline.support.Descriptions.object;
import static dev.plumbline.support.Descriptions.string;
import static dev.plumbline.support.Descriptions.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.portfolio.PortfolioSummary.AreaSummary;
import dev.plumbline.portfolio.PortfolioSummary.FieldSummary;
import dev.plumbline.portfolio.PortfolioSummary.FrequentValue;
import dev.plumbline.portfolio.PortfolioSummary.GradeCount;
import dev.plumbline.portfolio.PortfolioSummary.Occurrence;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.NotEmpty;
import org.junit.jupiter.api.Test;

class PortfolioSummaryTest {
    private static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("sample", "Sample", InputType.DOMAIN)
            .fields(
                    bool("up", "Up", "Up."),
                    string("server", "Server", "Server."),
                    integer("status", "Status", "Status."),
                    array("names", "Names", "Names.", FieldType.STRING),
                    table("rows", "Rows", "Rows.", string("a", "A", "A.")),
                    object("map", "Map", "Map."))
            .build();

    private static PortfolioSummary summary(LineFilter filter, String... lines) {
        PortfolioSummary summary = new PortfolioSummary(MODULE, List.of(), filter);
        for (int i = 0; i < lines.length; i++) {
            summary.add(line(lines[i]).at(i));
        }
        return summary;
    }

    /** Parses JSON with apostrophes instead of quotation marks, and a default input. */
    private static PortfolioLine line(String json) {
        return PortfolioLine.parse(new JsonObject(json.replace('\'', '"'))
                .mergeIn(new JsonObject().put("input", "a.test"))
                .toBuffer()
                .getBytes());
    }

    private static FieldSummary field(PortfolioSummary summary, String name) {
        return summary.fields().stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void findingsAreSortedByLevelAndNumberOfLines() {
        PortfolioSummary summary = summary(
                LineFilter.NONE,
                "{'verdict':'warn','findings':[{'level':'warn','code':'b'},{'level':'info','code':'i'}]}",
                "{'verdict':'fail','findings':[{'level':'fail','code':'f'},{'level':'warn','code':'a'}]}",
                "{'verdict':'warn','findings':[{'level':'warn','code':'b'},{'level':'warn','code':'b'}]}",
                "{'verdict':'error','error':{'code':'dns_timeout'}}",
                "{'verdict':null,'state':'pending'}");

        assertThat(summary.findings())
                .containsExactly(
                        new Occurrence(null, "f", Level.FAIL, null, 1, List.of(1L)),
                        new Occurrence(null, "b", Level.WARN, null, 2, List.of(0L, 2L)),
                        new Occurrence(null, "a", Level.WARN, null, 1, List.of(1L)),
                        new Occurrence(null, "i", Level.INFO, null, 1, List.of(0L)));
        assertThat(summary.errors()).containsExactly(new Occurrence(null, "dns_timeout", null, null, 1, List.of(3L)));
        assertThat(summary.counts())
                .hasToString("{total=5, pending=1, running=0, done=4, pass=0, warn=2, fail=1, error=1, cancelled=0}");
        assertThat(summary.count(Verdict.WARN)).isEqualTo(2);
    }

    @Test
    void atMostTenIndexesAreListed() {
        String[] lines = Collections.nCopies(12, "{'verdict':'fail','findings':[{'level':'fail','code':'f'}]}")
                .toArray(String[]::new);

        Occurrence finding = summary(LineFilter.NONE, lines).findings().get(0);

        assertThat(finding.count()).isEqualTo(12);
        assertThat(finding.indexes()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }

    @Test
    void fieldsAreSummarizedByType() {
        PortfolioSummary summary = summary(
                LineFilter.NONE,
                "{'verdict':'pass','fields':{'up':true,'server':'a','status':200,'names':['x','y','x'],'rows':[{'a':'b'}]}}",
                "{'verdict':'pass','fields':{'up':false,'server':'b','status':404,'names':['x'],'rows':[],'map':{}}}",
                "{'verdict':'pass','fields':{'up':true,'server':'a','status':200,'names':[],'rows':null}}",
                "{'verdict':'pass','fields':{'up':null,'status':301}}");

        assertThat(field(summary, "up"))
                .isEqualTo(
                        new FieldSummary("up", FieldType.BOOLEAN, 1, 2L, 1L, null, null, null, null, null, null, true));
        assertThat(field(summary, "server"))
                .isEqualTo(new FieldSummary(
                        "server",
                        FieldType.STRING,
                        1,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        2,
                        List.of(new FrequentValue("a", 2), new FrequentValue("b", 1)),
                        true));
        assertThat(field(summary, "status"))
                .isEqualTo(new FieldSummary(
                        "status",
                        FieldType.INTEGER,
                        0,
                        null,
                        null,
                        200.0,
                        250.5,
                        404.0,
                        404.0,
                        3,
                        List.of(new FrequentValue("200", 2), new FrequentValue("301", 1), new FrequentValue("404", 1)),
                        true));
        assertThat(field(summary, "names").values())
                .containsExactly(new FrequentValue("x", 2), new FrequentValue("y", 1));
        assertThat(field(summary, "rows"))
                .isEqualTo(new FieldSummary(
                        "rows", FieldType.ARRAY, 2, null, null, null, null, null, null, null, null, true));
        assertThat(field(summary, "map").nullCount()).isEqualTo(3);
    }

    @Test
    void theFilterAppliesToAllButTheCounts() {
        PortfolioSummary summary = summary(
                new LineFilter(Set.of("fail"), Set.of(), ""),
                "{'verdict':'pass','fields':{'status':200},'findings':[{'level':'info','code':'i'}]}",
                "{'verdict':'fail','fields':{'status':404},'findings':[{'level':'fail','code':'f'}]}");

        assertThat(summary.total()).isEqualTo(2);
        assertThat(summary.matched()).isEqualTo(1);
        assertThat(summary.counts()).containsEntry("pass", 1L).containsEntry("total", 2L);
        assertThat(summary.findings()).extracting(Occurrence::code).containsExactly("f");
        assertThat(field(summary, "status").min()).isEqualTo(404);
    }

    @Test
    void manyDifferentValuesAreALowerBound() {
        PortfolioSummary summary = new PortfolioSummary(MODULE, List.of(), LineFilter.NONE);
        for (int i = 0; i < 20_000; i++) {
            String server = i % 4 == 3 ? "often" : "s" + i;
            summary.add(line("{'verdict':'pass','fields':{'server':'" + server + "','status':" + i + "}}")
                    .at(i));
        }

        FieldSummary servers = field(summary, "server");
        assertThat(servers.exact()).isFalse();
        assertThat(servers.distinctCount()).isEqualTo(4_097);
        assertThat(servers.values()).hasSize(20);
        assertThat(servers.values().get(0)).isEqualTo(new FrequentValue("often", 5_000));
        FieldSummary statuses = field(summary, "status");
        assertThat(statuses.exact()).isFalse();
        assertThat(statuses.distinctCount()).isEqualTo(4_097);
        assertThat(statuses.values()).isNull();
        assertThat(statuses.min()).isZero();
        assertThat(statuses.max()).isEqualTo(19_999);
        assertThat(statuses.median()).isCloseTo(9_999.5, within(101.0));
        assertThat(statuses.p90()).isCloseTo(17_999, within(181.0));
    }

    @Test
    void longValuesAreShortenedButDistinguished() {
        String text = "x".repeat(5_000);

        FieldSummary servers = field(
                summary(
                        LineFilter.NONE,
                        "{'verdict':'pass','fields':{'server':'" + text + "a'}}",
                        "{'verdict':'pass','fields':{'server':'" + text + "b'}}"),
                "server");

        assertThat(servers.distinctCount()).isEqualTo(2);
        assertThat(servers.values()).extracting(FrequentValue::value).allMatch(value -> value.length() == 200);
    }

    @Test
    void tooManyCodesAreRejected() {
        PortfolioSummary summary = new PortfolioSummary(MODULE, List.of(), LineFilter.NONE);

        assertThatThrownBy(() -> {
                    for (int i = 0; i < 20_000; i++) {
                        summary.add(line("{'verdict':'warn','findings':[{'level':'warn','code':'c" + i + "'}]}"));
                    }
                })
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the results have more than 10000 different finding codes");
    }

    @Test
    void compositesHaveTheTitlesOfTheirPartsAndGradesByArea() {
        ModuleCatalogue modules = ModuleCatalogue.load();
        ModuleDefinition<?> overview = Objects.requireNonNull(modules.find("overview"));
        PortfolioSummary summary = new PortfolioSummary(
                overview.description(),
                modules.parts("overview").stream().map(part -> part.module()).toList(),
                LineFilter.NONE);
        String cause = "{'code':'expired','module':'ssl-certificate','level':'fail','message':''}";
        summary.add(line("{'verdict':'fail','fields':{'areas':{'web':{'grade':'A','score':90},'mail':null},"
                + "'causes':[" + cause + "]},'findings':[{'level':'fail','code':'part_fail'}]}"));
        summary.add(line("{'verdict':'pass','fields':{'areas':{'web':{'grade':'A+','score':100},"
                + "'mail':{'grade':null,'score':null}},'causes':[]}}"));
        summary.add(line("{'verdict':'pass','fields':{'areas':{'web':{'grade':'A','score':91}},'causes':[]}}"));

        assertThat(summary.findings())
                .containsExactly(new Occurrence(
                        "ssl-certificate", "expired", Level.FAIL, "Certificate expired", 1, List.of(0L)));
        assertThat(summary.areas())
                .contains(
                        new AreaSummary("web", List.of(new GradeCount("A+", 1), new GradeCount("A", 2)), 93.7),
                        new AreaSummary("mail", List.of(new GradeCount(null, 1)), null),
                        new AreaSummary("dns", List.of(), null));
        ModuleDescription mailHealth =
                Objects.requireNonNull(modules.find("mail-health")).description();
        PortfolioSummary single = new PortfolioSummary(mailHealth, List.of(), LineFilter.NONE);
        single.add(line("{'verdict':'pass','fields':{'grade':'B','score':80}}"));
        assertThat(single.areas()).containsExactly(new AreaSummary("mail", List.of(new GradeCount("B", 1)), 80.0));
        assertThat(summary(LineFilter.NONE).areas()).isEmpty();
    }

    @Test
    void theMembersAreThoseOfTheApi() {
        JsonObject json = new JsonObject(summary(
                        LineFilter.NONE,
                        "{'verdict':'warn','fields':{'status':200},'findings':[{'level':'warn','code':'w'}]}",
                        "{'verdict':'error','fields':{'status':1.5},'error':{'code':'internal'}}")
                .toMap());

        assertThat(json.fieldNames()).containsExactly("matched", "findings", "errors", "fields", "areas");
        assertThat(json.getJsonArray("findings").encode())
                .isEqualTo(
                        "[{\"part\":null,\"code\":\"w\",\"level\":\"warn\",\"title\":null,\"count\":1,\"indexes\":[0]}]");
        assertThat(json.getJsonArray("errors").encode())
                .isEqualTo("[{\"code\":\"internal\",\"count\":1,\"indexes\":[1]}]");
        assertThat(json.getJsonArray("fields").getJsonObject(2).encode())
                .isEqualTo("{\"name\":\"status\",\"type\":\"integer\",\"null_count\":0,\"true_count\":null,"
                        + "\"false_count\":null,\"min\":1.5,\"median\":100.75,\"p90\":200,\"max\":200,"
                        + "\"distinct_count\":2,\"values\":[{\"value\":\"1.5\",\"count\":1},"
                        + "{\"value\":\"200\",\"count\":1}],\"exact\":true}");
    }

    @Property
    void quantilesAreThoseOfTheSortedNumbers(
            @ForAll @NotEmpty List<@DoubleRange(min = -1e6, max = 1e6) Double> numbers) {
        NumberDistribution distribution = new NumberDistribution();
        numbers.forEach(distribution::add);
        List<Double> sorted = new ArrayList<>(numbers);
        Collections.sort(sorted);
        int size = sorted.size();

        assertThat(distribution.min()).isEqualTo(sorted.get(0), within(0.0));
        assertThat(distribution.max()).isEqualTo(sorted.get(size - 1), within(0.0));
        assertThat(distribution.median())
                .isEqualTo((sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2, within(0.0));
        assertThat(distribution.p90()).isEqualTo(sorted.get((int) Math.ceil(size * 9 / 10.0) - 1), within(0.0));
        assertThat(distribution.isExact()).isTrue();
    }

    @Test
    void roundedQuantilesDeviateByAtMostOnePercent() {
        NumberDistribution distribution = new NumberDistribution();
        List<Double> numbers = new ArrayList<>();
        for (int i = -10_000; i <= 10_000; i++) {
            double number = Math.signum(i) * Math.pow(1.001, Math.abs(i));
            numbers.add(number);
            distribution.add(number);
        }

        assertThat(distribution.isExact()).isFalse();
        assertThat(distribution.median()).isZero();
        double p90 = numbers.get((int) Math.ceil(numbers.size() * 9 / 10.0) - 1);
        assertThat(distribution.p90()).isCloseTo(p90, within(p90 * 0.01));
    }

    @Test
    void theMemoryIsThatOfTheDifferentValues() {
        PortfolioSummary equal = new PortfolioSummary(MODULE, List.of(), LineFilter.NONE);
        PortfolioSummary different = new PortfolioSummary(MODULE, List.of(), LineFilter.NONE);
        equal.add(line("{'verdict':'pass','fields':{'server':'s0'}}"));
        long one = equal.bytes();
        for (int i = 0; i < 10_000; i++) {
            equal.add(line("{'verdict':'pass','fields':{'server':'s0'}}"));
            different.add(line("{'verdict':'pass','fields':{'server':'s" + i + "'}}"));
        }

        assertThat(equal.bytes()).isEqualTo(one);
        assertThat(different.bytes())
                .isGreaterThan(2_000 * one)
                .isLessThanOrEqualTo(ValueCounts.MAX_VALUES * (one + 2 * 4));
    }
}
