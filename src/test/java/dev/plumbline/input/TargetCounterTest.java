package dev.plumbline.input;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class TargetCounterTest {
    private static final ModuleDescription MODULE =
            ModuleCatalogue.load().find("http-status").description();

    @Property(tries = 50)
    void linesAreValidInvalidOrDuplicates(@ForAll @Size(max = 300) List<@IntRange(max = 200) Integer> numbers) {
        TargetCounter counter = new TargetCounter(MODULE, 5);

        IntStream.range(0, numbers.size())
                .mapToObj(i -> new TargetLines.Line(i + 1, text(numbers.get(i))))
                .forEach(counter::add);

        TargetLines.Counts counts = counter.counts();
        int invalid = (int) numbers.stream().filter(n -> n % 10 == 0).count();
        int distinct =
                (int) numbers.stream().filter(n -> n % 10 != 0).distinct().count();
        assertThat(counts.valid()).isEqualTo(distinct);
        assertThat(counts.invalid()).isEqualTo(invalid);
        assertThat(counts.duplicates()).isEqualTo(numbers.size() - distinct - invalid);
        assertThat(counts.firstInvalid()).hasSize(Math.min(5, invalid));
    }

    @Test
    void optionsDetermineThePortOfATargetWithoutPort() {
        ModuleDescription scan = ModuleCatalogue.load().find("tls-protocols").description();
        Options imap = Options.parse(scan, Map.of("starttls", "imap")).options();
        TargetCounter counter = new TargetCounter(scan.targetRules(imap), 5);

        for (String target : List.of("mx.test", "mx.test:143", "mx.test:443")) {
            counter.add(new TargetLines.Line(1, target));
        }

        assertThat(counter.counts().valid()).isEqualTo(2);
        assertThat(counter.counts().duplicates()).isEqualTo(1);
    }

    /** Equal targets have two spellings. */
    private static String text(int number) {
        return number % 10 == 0
                ? "no target " + number
                : (number % 2 == 0 ? "HTTP://A.TEST:80/" : "http://a.test/") + number;
    }
}
