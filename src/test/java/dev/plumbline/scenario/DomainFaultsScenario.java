package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.domain.DomainOverview;
import dev.plumbline.lab.domain.DomainOverview.Result;
import dev.plumbline.lab.domain.Fault;
import dev.plumbline.lab.domain.FaultCatalogue;
import dev.plumbline.lab.domain.FaultTable;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The causes and scores of {@code overview} for a domain with single faults and with pairs of faults. */
@Tag("scenario")
class DomainFaultsScenario {
    @TempDir
    static Path folder;

    private static DomainOverview overview;
    private static Result healthy;
    private static final Map<Fault, Result> SINGLE = new LinkedHashMap<>();

    /** Writes the results of the single faults to {@code target/faults.md}. */
    @BeforeAll
    static void checkSingleFaults() throws Exception {
        overview = new DomainOverview(folder);
        healthy = overview.check(List.of());
        FaultTable table = new FaultTable(healthy);
        for (Fault fault : FaultCatalogue.faults()) {
            Result result = overview.check(List.of(fault));
            SINGLE.put(fault, result);
            table.add(fault, result);
        }
        table.write(Path.of("target/faults.md"));
    }

    @AfterAll
    static void stop() {
        if (overview != null) {
            overview.close();
        }
    }

    @Test
    void aDomainWithoutFaultsPasses() {
        assertThat(healthy.parts()).hasSizeGreaterThan(30).allSatisfy(part -> assertThat(part)
                .containsEntry("verdict", "pass"));
        assertThat(healthy.score()).isEqualTo(100);
        assertThat(healthy.grade()).isEqualTo("A+");
    }

    @Test
    void aFaultIsTheFirstCause() {
        assertThat(SINGLE).hasSizeGreaterThanOrEqualTo(50);
        SoftAssertions all = new SoftAssertions();
        SINGLE.forEach((fault, result) -> {
            for (String list : List.of("causes", "fix_first")) {
                List<Map<String, Object>> causes = result.list(list);
                all.assertThat(causes)
                        .as(fault + ": " + list)
                        .isNotEmpty()
                        .first()
                        .satisfies(first -> assertThat(fault.causes(first))
                                .as(first.get("module") + " " + first.get("code"))
                                .isTrue());
            }
        });
        all.assertAll();
    }

    /** The parts that report a fault in other words have the same cause. */
    @Test
    void aFaultIsOneProblem() {
        SoftAssertions all = new SoftAssertions();
        SINGLE.forEach((fault, result) ->
                all.assertThat(codes(result)).as(fault.name()).hasSize(1));
        all.assertAll();
    }

    @Test
    void aFaultLowersTheScore() {
        SoftAssertions all = new SoftAssertions();
        SINGLE.forEach((fault, result) ->
                all.assertThat(result.score()).as(fault.name()).isLessThan(100));
        all.assertAll();
    }

    /** Fixing one of two faults does not lower the score. */
    @Test
    void bothFaultsOfAPairAreCausesAndNoneRaisesTheScoreOfTheOther() {
        SoftAssertions all = new SoftAssertions();
        List<FaultCatalogue.Pair> pairs = FaultCatalogue.pairs();
        assertThat(pairs).hasSizeGreaterThanOrEqualTo(40);
        pairs.forEach(pair -> {
            Result both = overview.check(List.of(pair.first(), pair.second()));
            for (Fault fault : List.of(pair.first(), pair.second())) {
                all.assertThat(both.score())
                        .as(pair + ": score")
                        .isLessThanOrEqualTo(SINGLE.get(fault).score());
                all.assertThat(both.list("causes"))
                        .as(pair + ": causes " + codes(both))
                        .anyMatch(fault::causes);
            }
        });
        all.assertAll();
    }

    private static List<String> codes(Result result) {
        return result.list("causes").stream()
                .map(cause -> cause.get("module") + "/" + cause.get("code"))
                .toList();
    }
}
