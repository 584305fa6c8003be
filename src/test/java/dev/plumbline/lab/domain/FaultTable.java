package dev.plumbline.lab.domain;

import dev.plumbline.lab.domain.DomainOverview.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A Markdown table of faults with their grade, score and causes. */
public final class FaultTable {
    private final List<String> lines = new ArrayList<>();

    public FaultTable(Result healthy) {
        lines.add("| fault | area | grade | score | first cause | consequence | parts | other causes |");
        lines.add("|---|---|---|---|---|---|---|---|");
        lines.add("| none | | %s | %s | | | | |".formatted(healthy.grade(), healthy.score()));
    }

    public void add(Fault fault, Result result) {
        List<Map<String, Object>> causes = result.list("causes");
        Map<String, Object> first = causes.isEmpty() ? Map.of() : causes.get(0);
        lines.add("| %s | %s | %s | %s | %s | %s | %s | %s |"
                .formatted(
                        fault,
                        fault.area(),
                        result.grade(),
                        result.score(),
                        text(first),
                        first.getOrDefault("consequence", ""),
                        first.get("parts") instanceof List<?> parts ? parts.size() : 0,
                        causes.stream().skip(1).map(FaultTable::text).collect(Collectors.joining(", "))));
    }

    private static String text(Map<String, Object> cause) {
        return cause.isEmpty() ? "" : "`%s` (`%s`)".formatted(cause.get("code"), cause.get("module"));
    }

    public void write(Path file) throws IOException {
        Files.write(file, lines);
    }
}
