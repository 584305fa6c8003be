package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Debian's promtool. */
public final class Promtool {
    private Promtool() {}

    /** Runs promtool; it must succeed. Returns its output. */
    public static String run(String in, String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(DebianTool.require("promtool").toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (OutputStream out = process.getOutputStream()) {
            out.write(in.getBytes(StandardCharsets.UTF_8));
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    /** Validates queries. promtool validates PromQL in rules only, so each query becomes a recording rule. */
    public static void checkQueries(List<String> queries, Path folder) throws IOException, InterruptedException {
        JsonArray rules = new JsonArray();
        for (int i = 0; i < queries.size(); i++) {
            rules.add(new JsonObject()
                    .put("record", "query_" + i)
                    .put("expr", queries.get(i).replace("$__rate_interval", "5m")));
        }
        JsonObject group = new JsonObject().put("name", "queries").put("rules", rules);
        // YAML is a superset of JSON
        Path file = Files.writeString(
                folder.resolve("queries.yml"),
                new JsonObject().put("groups", new JsonArray().add(group)).encode());

        assertThat(run("", "check", "rules", file.toString())).contains("SUCCESS");
    }

    /** The queries of a Grafana dashboard. */
    public static List<String> queries(Path dashboard) throws IOException {
        List<String> queries = new ArrayList<>();
        for (Object panel : new JsonObject(Files.readString(dashboard)).getJsonArray("panels")) {
            for (Object target : ((JsonObject) panel).getJsonArray("targets", new JsonArray())) {
                queries.add(((JsonObject) target).getString("expr"));
            }
        }
        return queries;
    }
}
