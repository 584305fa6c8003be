package dev.plumbline.cli;

import dev.plumbline.portfolio.LineFilter;
import dev.plumbline.target.ExceptionMessage;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that select lines. */
final class FilterOptions {
    @Option(
            names = "--verdict",
            split = ",",
            paramLabel = "VERDICT",
            description = "Only lines with these verdicts, for example warn,fail.")
    private @Nullable List<String> verdicts;

    @Option(
            names = "--finding",
            split = ",",
            paramLabel = "CODE",
            description = "Only lines with one of these findings or errors; for composites also PART/CODE.")
    private @Nullable List<String> findings;

    @Option(
            names = "--query",
            paramLabel = "TEXT",
            description = "Only lines whose input or target contains this text.")
    private @Nullable String query;

    @Nullable
    List<String> verdicts() {
        return verdicts;
    }

    @Nullable
    List<String> findings() {
        return findings;
    }

    @Nullable
    String query() {
        return query;
    }

    /** @throws CommandException if a verdict does not exist, or if a finding does not have the form of a code */
    LineFilter filter() throws CommandException {
        try {
            return new LineFilter(
                    new LinkedHashSet<>(Objects.requireNonNullElse(verdicts, List.of())),
                    new LinkedHashSet<>(Objects.requireNonNullElse(findings, List.of())),
                    Objects.requireNonNullElse(query, ""));
        } catch (IllegalArgumentException invalid) {
            throw new CommandException(ExceptionMessage.of(invalid));
        }
    }
}
