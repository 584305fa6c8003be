package dev.plumbline.bench;

import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** A check that is known, as JSON or as a page, beside a bare Vert.x server sending the same. */
final class CachedRow implements Row {
    private static final String INSTANT = "/api/v1/instant/http-status/";

    private final String id;
    private final String what;
    private final double goal;
    private final String path;
    private final List<String> headers;

    private CachedRow(String id, String what, double goal, String path, List<String> headers) {
        this.id = id;
        this.what = what;
        this.goal = goal;
        this.path = path;
        this.headers = headers;
    }

    static CachedRow ofTheApi() {
        return new CachedRow("cached", "cached instant check ÷ bare Vert.x, same bytes", 0.9, INSTANT, List.of());
    }

    static CachedRow ofTheWeb() {
        return new CachedRow(
                "report",
                "cached report page ÷ bare Vert.x, same bytes",
                0.5,
                "/check/http-status/",
                List.of("Accept: text/html", "Accept-Encoding: gzip", "Sec-Fetch-Mode: navigate"));
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        Wrk wrk = stage.wrk();
        ServiceUnderLoad service = stage.service();
        String target = URLEncoder.encode(stage.nginx().site(false) + "/" + id, StandardCharsets.UTF_8);
        BareServer.Recorded answer = cachedAnswer(service, target);
        try (ChildProcess bare = bareServer(stage, answer)) {
            String bareAddress = bare.await(Pattern.compile("ready (http://\\S+)"), 20);
            BenchOptions options = stage.options();
            stage.setLoaded();
            Comparison pair = Comparison.measure(
                    id(),
                    options,
                    new Comparison.Side(service.process(), duration -> {
                        // the ten minutes may have run out
                        cachedAnswer(service, target);
                        return wrk.same(service.process(), service.address(), path + target, headers, duration);
                    }),
                    new Comparison.Side(
                            bare, duration -> wrk.same(bare, bareAddress, path + target, headers, duration)));
            return List.of(pair.line(what, goal, answer.body().length + " bytes of body"));
        }
    }

    /** The answer from the cache, whole. */
    private BareServer.Recorded cachedAnswer(ServiceUnderLoad service, String target)
            throws IOException, InterruptedException {
        String api = INSTANT + target;
        service.get(api);
        String known = new String(service.get(api).body(), StandardCharsets.UTF_8);
        HttpResponse<byte[]> answer = service.get(path + target, headers);
        if (answer.statusCode() != 200
                || !known.contains("\"cached\":true")
                || !known.contains("\"verdict\":\"pass\"")) {
            throw new IOException("not a cached pass: " + answer.statusCode() + " " + known);
        }
        List<String> told = new ArrayList<>();
        answer.headers().map().forEach((name, values) -> {
            if (!name.equalsIgnoreCase("content-length")) {
                values.forEach(value -> told.addAll(List.of(name, value)));
            }
        });
        return new BareServer.Recorded(answer.statusCode(), told, answer.body());
    }

    private static ChildProcess bareServer(BenchStage stage, BareServer.Recorded answer) throws IOException {
        Path file = stage.folder().resolve("answer");
        answer.write(file);
        List<String> command = new ArrayList<>(List.of(ServiceUnderLoad.java()));
        command.addAll(stage.options().jvmFlags());
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                BareServer.class.getName(),
                file.toString(),
                Integer.toString(Runtime.getRuntime().availableProcessors())));
        return ChildProcess.start("bare", stage.folder(), command, Map.of());
    }
}
