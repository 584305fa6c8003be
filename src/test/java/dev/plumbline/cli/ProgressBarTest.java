package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
    @Test
    void rateAndRemainingTimeAreShown() {
        assertThat(ProgressBar.text(2_500, 10_000, "2,500 pass", 0, 500))
                .isEqualTo("[=====>              ] 2,500/10,000, 500/s, ETA 00:15, 2,500 pass");
        assertThat(ProgressBar.text(1, 36_001, "", 0, 1)).contains("ETA 10:00:00");
        assertThat(ProgressBar.text(10, 10, "", 0, 10)).startsWith("[====================] 10/10, 10/s, ETA 00:00");
    }

    @Test
    void beforeTheFirstResultTheRemainingTimeIsUnknown() {
        assertThat(ProgressBar.text(0, 10, "", 0, 0)).contains("0/10, 0/s, ETA --:--");
        assertThat(ProgressBar.text(0, 0, "", 0, 0)).contains("0/0");
    }

    @Test
    void theRemainingTimeIsAtLeastTheMinimum() {
        assertThat(ProgressBar.text(403, 500, "", 48.5, 200)).contains("ETA 00:49");
        assertThat(ProgressBar.text(0, 97, "", 4.85, 0)).contains("ETA 00:05");
    }

    @Test
    void withoutTotalTheRateIsShown() {
        assertThat(ProgressBar.text(2_000, -1, "2,000 pass", 0, 1_000)).isEqualTo("2,000 done, 1,000/s, 2,000 pass");
    }

    @Test
    void theRateIsThatOfTheLastTenSeconds() {
        AtomicLong nanos = new AtomicLong();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ProgressBar bar = new ProgressBar(new PrintStream(out, true, StandardCharsets.UTF_8), true, nanos::get);

        bar.update(100, 400, "", 0);
        nanos.addAndGet(1_000_000_000);
        bar.update(120, 400, "", 0);
        assertThat(out.toString(StandardCharsets.UTF_8)).endsWith("120/400, 20/s, ETA 00:14, ");
        for (int second = 1; second <= 20; second++) {
            nanos.addAndGet(1_000_000_000);
            bar.update(120 + second, 400, "", 0);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).endsWith("140/400, 1/s, ETA 04:20, ");
    }

    @Test
    void afterItsEndTheBarIsNotDrawn() {
        AtomicLong nanos = new AtomicLong();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ProgressBar bar = new ProgressBar(new PrintStream(out, true, StandardCharsets.UTF_8), true, nanos::get);

        bar.end("interrupted");
        nanos.addAndGet(1_000_000_000);
        bar.update(2, 10, "", 0);

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("\r\u001b[Kinterrupted" + System.lineSeparator());
    }

    @Test
    void theBarIsRedrawnTenTimesASecondAndRemoved() {
        AtomicLong nanos = new AtomicLong();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ProgressBar bar = new ProgressBar(new PrintStream(out, true, StandardCharsets.UTF_8), true, nanos::get);

        bar.update(1, 10, "", 0);
        assertThat(out.size()).isZero();
        nanos.addAndGet(100_000_000);
        bar.update(2, 10, "", 0);
        bar.update(3, 10, "", 0);
        bar.clear();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("2/10")
                .doesNotContain("3/10")
                .endsWith("\r\u001b[K");
    }
}
