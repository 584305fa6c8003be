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

/** The scores of {@code overview} for a domain with single faults and with pairs of faults. */
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
    void eachFaultIsReported() {
        assertThat(SINGLE).hasSizeGreaterThanOrEqualTo(50).allSatisfy((fault, result) -> assertThat(result.parts())
                .as(fault.name())
                .anySatisfy(part -> assertThat(part.get("verdict")).isNotEqualTo("pass")));
    }

    @Test
    void aFaultNeverRaisesTheScoreOfAnotherOne() {
        SoftAssertions all = new SoftAssertions();
        List<FaultCatalogue.Pair> pairs = FaultCatalogue.pairs();
        assertThat(pairs).hasSizeGreaterThanOrEqualTo(40);
        pairs.forEach(pair -> {
            Result both = overview.check(List.of(pair.first(), pair.second()));
            Integer first = SINGLE.get(pair.first()).score();
            Integer second = SINGLE.get(pair.second()).score();
            if (both.score() != null && first != null && second != null) {
                all.assertThat(both.score()).as(pair.toString()).isLessThanOrEqualTo(Math.min(first, second));
            }
        });
        all.assertAll();
    }
}
