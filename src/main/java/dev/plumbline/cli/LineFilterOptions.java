package dev.plumbline.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The lines of a job to print, and their fields: parameters of the API. */
final class LineFilterOptions {
    static final LineFilterOptions NONE = new LineFilterOptions();

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
            description = "Only lines with one of these findings; for composites also PART/CODE.")
    private @Nullable List<String> findings;

    @Option(
            names = "--query",
            paramLabel = "TEXT",
            description = "Only lines whose input or target contains this text.")
    private @Nullable String query;

    @Option(
            names = "--fields",
            split = ",",
            paramLabel = "FIELD",
            description = "Only these fields; in CSV, columns in this order.")
    private @Nullable List<String> fields;

    /** Returns the query of a request for lines, with a question mark; empty without filters. */
    String parameters() {
        StringJoiner parameters = new StringJoiner("&", "?", "").setEmptyValue("");
        add(parameters, "verdict", verdicts);
        add(parameters, "finding", findings);
        add(parameters, "q", query == null ? null : List.of(query));
        add(parameters, "fields", fields);
        return parameters.toString();
    }

    /** Returns the parameters whose values the service can reject without reading lines, each after an ampersand. */
    String validatedParameters() {
        StringJoiner parameters = new StringJoiner("&", "&", "").setEmptyValue("");
        add(parameters, "verdict", verdicts);
        add(parameters, "fields", fields);
        return parameters.toString();
    }

    private static void add(StringJoiner parameters, String name, @Nullable List<String> values) {
        if (values != null) {
            parameters.add(name + "=" + URLEncoder.encode(String.join(",", values), StandardCharsets.UTF_8));
        }
    }
}
