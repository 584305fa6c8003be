package dev.plumbline.cli;

import dev.plumbline.target.ShellWord;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The lines of a job to print, and their fields: parameters of the API. */
final class LineFilterOptions {
    static final LineFilterOptions NONE = new LineFilterOptions();

    @Mixin
    private FilterOptions filter = new FilterOptions();

    @Option(
            names = "--fields",
            split = ",",
            paramLabel = "FIELD",
            description = "Only these fields; in CSV and XLSX, columns in this order.")
    private @Nullable List<String> fields;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            description = "Policy of the service to apply to the results, for example mozilla-intermediate.")
    private @Nullable String policy;

    @Option(
            names = "--expect",
            paramLabel = "EXPRESSION",
            description = "Condition that each result must meet, for example 'status == 200'. Can be repeated.")
    private List<String> expectations = new ArrayList<>();

    /** @throws CommandException if a value is not valid, whatever the module is */
    void validate() throws CommandException {
        filter.filter();
        if (fields != null && fields.contains("")) {
            throw new CommandException(
                    "--fields contains an empty name. Use names of fields, for example status,final_url.");
        }
    }

    /** Returns the given options for another command, each followed by a space. */
    String arguments() {
        StringBuilder arguments = new StringBuilder();
        append(arguments, "--verdict", filter.verdicts());
        append(arguments, "--finding", filter.findings());
        append(arguments, "--query", query());
        append(arguments, "--fields", fields);
        append(arguments, "--policy", policy());
        expectations.forEach(expectation -> append(arguments, "--expect", List.of(expectation)));
        return arguments.toString();
    }

    private static void append(StringBuilder arguments, String option, @Nullable List<String> values) {
        if (values != null) {
            arguments
                    .append(option)
                    .append(' ')
                    .append(ShellWord.quote(String.join(",", values)))
                    .append(' ');
        }
    }

    private @Nullable List<String> query() {
        String query = filter.query();
        return query == null ? null : List.of(query);
    }

    private @Nullable List<String> policy() {
        return policy == null ? null : List.of(policy);
    }

    /** The selected fields, in this order; empty for all. */
    List<String> fields() {
        return fields == null ? List.of() : fields;
    }

    /** Whether the service evaluates the results of a job: with these options, or by default. */
    boolean areEvaluated(JsonObject job) {
        if (policy != null || !expectations.isEmpty()) {
            return !expectations.isEmpty() || !"".equals(policy);
        }
        JsonObject ofJob = job.getJsonObject("policy");
        return (ofJob != null && !ofJob.getBoolean("missing", false))
                || !job.getJsonArray("expect", new JsonArray()).isEmpty();
    }

    /** Returns the same filters with all fields. */
    LineFilterOptions withoutFields() {
        LineFilterOptions all = new LineFilterOptions();
        all.filter = filter;
        all.policy = policy;
        all.expectations = expectations;
        return all;
    }

    /** Returns the query of a request for lines, with a question mark; empty without filters. */
    String parameters() {
        StringJoiner parameters = new StringJoiner("&", "?", "").setEmptyValue("");
        add(parameters, "verdict", filter.verdicts());
        add(parameters, "finding", filter.findings());
        add(parameters, "q", query());
        add(parameters, "fields", fields);
        addPolicy(parameters);
        return parameters.toString();
    }

    /** Returns the parameters whose values the service can reject without reading lines, each after an ampersand. */
    String validatedParameters() {
        StringJoiner parameters = new StringJoiner("&", "&", "").setEmptyValue("");
        add(parameters, "verdict", filter.verdicts());
        add(parameters, "fields", fields);
        addPolicy(parameters);
        return parameters.toString();
    }

    private void addPolicy(StringJoiner parameters) {
        add(parameters, "policy", policy());
        expectations.forEach(expectation -> add(parameters, "expect", List.of(expectation)));
    }

    private static void add(StringJoiner parameters, String name, @Nullable List<String> values) {
        if (values != null) {
            parameters.add(name + "=" + URLEncoder.encode(String.join(",", values), StandardCharsets.UTF_8));
        }
    }
}
