package dev.plumbline.lab.domain;

import dev.plumbline.lab.domain.DomainOverview.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A Markdown table of faults with their grade, score and first cause. */
public final class FaultTable {
    private final List<String> lines = new ArrayList<>();

    public FaultTable(Result healthy) {
        lines.add("| fault | area | grade | score | first cause | affected parts |");
        lines.add("|---|---|---|---|---|---|");
        lines.add("| none | | %s | %s | | |".formatted(healthy.grade(), healthy.score()));
    }

    public void add(Fault fault, Result result) {
        List<Map<String, Object>> causes = result.list("causes");
        String first = causes.isEmpty()
                ? ""
                : "`%s` (`%s`)"
                        .formatted(causes.get(0).get("code"), causes.get(0).get("module"));
        lines.add("| %s | %s | %s | %s | %s | %s |"
                .formatted(fault, fault.area(), result.grade(), result.score(), first, affected(result)));
    }

    /** The parts that did not pass, with the code of their error or worst finding. */
    private static String affected(Result result) {
        return result.parts().stream()
                .filter(part -> !"pass".equals(part.get("verdict")))
                .map(part -> part.get("module") + " " + part.get("verdict") + " " + code(part))
                .collect(Collectors.joining(", "));
    }

    private static Object code(Map<String, Object> part) {
        Object reason = part.get("error") == null ? part.get("top_finding") : part.get("error");
        return reason instanceof Map<?, ?> map ? map.get("code") : "";
    }

    public void write(Path file) throws IOException {
        Files.write(file, lines);
    }
}
