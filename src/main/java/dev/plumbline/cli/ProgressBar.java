package dev.plumbline.cli;

import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * A line on a terminal: bar, lines done, rate, remaining time and counts by verdict. Redrawn at most 10 times a second.
 */
final class ProgressBar {
    private static final int WIDTH = 20;
    private static final long INTERVAL_NANOS = 100_000_000;

    /** The time in which the rate is measured. */
    private static final long RATE_WINDOW_NANOS = 10_000_000_000L;

    private static final String CLEAR_LINE = "\r\u001b[K";

    private final PrintStream out;
    private final boolean enabled;
    private final LongSupplier nanos;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private long drawn;
    private boolean visible;
    private boolean ended;

    private record Sample(long nanos, long done) {}

    /** @param nanos a clock as {@link System#nanoTime} */
    ProgressBar(PrintStream out, boolean enabled, LongSupplier nanos) {
        this.out = out;
        this.enabled = enabled;
        this.nanos = nanos;
        this.drawn = nanos.getAsLong();
    }

    /** A bar on stderr; it is drawn if it is requested and stderr is a terminal. */
    static ProgressBar onStderr(boolean requested) {
        return new ProgressBar(System.err, requested && StandardOutput.isTerminal(2), System::nanoTime);
    }

    /**
     * Draws the bar, unless it was drawn within the last 100 milliseconds. The rate does not include lines that were
     * completed before the first call.
     *
     * @param done completed lines
     * @param total all lines; -1 if unknown
     * @param counts text after the rate
     * @param minSeconds the minimum remaining time; 0 if it is not known
     */
    synchronized void update(long done, long total, Object counts, double minSeconds) {
        long now = nanos.getAsLong();
        if (samples.isEmpty()) {
            samples.add(new Sample(now, done));
        }
        if (!enabled || ended || now - drawn < INTERVAL_NANOS) {
            return;
        }
        drawn = now;
        visible = true;
        out.print(CLEAR_LINE + text(done, total, counts, minSeconds, rate(now, done)));
        out.flush();
    }

    /** The lines per second in the latest window. */
    private double rate(long now, long done) {
        while (samples.size() > 1 && now - samples.element().nanos() > RATE_WINDOW_NANOS) {
            samples.remove();
        }
        Sample oldest = samples.element();
        samples.add(new Sample(now, done));
        return now == oldest.nanos() ? 0 : (done - oldest.done()) * 1e9 / (now - oldest.nanos());
    }

    /** @param rate lines per second */
    static String text(long done, long total, Object counts, double minSeconds, double rate) {
        String number = String.format(Locale.ROOT, "%,d", done);
        if (total < 0) {
            return String.format(Locale.ROOT, "%s done, %,.0f/s, %s", number, rate, counts);
        }
        int filled = total == 0 ? WIDTH : (int) (done * WIDTH / total);
        String bar = "=".repeat(filled) + (filled < WIDTH ? ">" + " ".repeat(WIDTH - filled - 1) : "");
        double seconds = Math.max(rate == 0 ? 0 : (total - done) / rate, minSeconds);
        String remaining = rate == 0 && minSeconds == 0 ? "--:--" : time((long) Math.ceil(seconds));
        return String.format(
                Locale.ROOT, "[%s] %s/%,d, %,.0f/s, ETA %s, %s", bar, number, total, rate, remaining, counts);
    }

    private static String time(long seconds) {
        return seconds < 3600
                ? String.format(Locale.ROOT, "%02d:%02d", seconds / 60, seconds % 60)
                : String.format(Locale.ROOT, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }

    /**
     * Prints text instead of the bar, and of the characters that the terminal shows for Ctrl-C. The bar is not drawn
     * again.
     */
    synchronized void end(String line) {
        out.println((enabled ? CLEAR_LINE : "") + line);
        out.flush();
        visible = false;
        ended = true;
    }

    /** Removes the bar, so that other output can be written. */
    synchronized void clear() {
        if (visible) {
            out.print(CLEAR_LINE);
            out.flush();
            visible = false;
        }
    }
}
