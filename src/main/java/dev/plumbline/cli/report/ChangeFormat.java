package dev.plumbline.cli.report;

import dev.plumbline.portfolio.LineChange.FieldChange;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The formats of a comparison. */
public enum ChangeFormat {
    TEXT,
    JSON,
    NDJSON,
    CSV;

    /**
     * What is compared.
     *
     * @param token of the later job; null if it is not one job
     * @param against the token of the earlier job; null if it is not one job
     * @param optionsDiffer the options of the jobs that differ; null if they are not known
     */
    public record Compared(
            @Nullable String token,
            @Nullable String against,
            String module,
            @Nullable List<FieldChange> optionsDiffer) {}

    /** Creates a writer. */
    public ChangeReport report(Compared compared, Writer out) throws IOException {
        return switch (this) {
            case TEXT -> new ChangeText(compared, out);
            case JSON -> new ChangeJson(compared, out);
            case NDJSON -> ChangeJson.lines(out);
            case CSV -> new ChangeCsv(out);
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
