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

/** A cached check as JSON or as a page, compared with a bare Vert.x server that sends the same bytes. */
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
        return new CachedRow("cached", "Cached instant check ÷ bare Vert.x, same bytes", 0.9, INSTANT, List.of());
    }

    static CachedRow ofTheWeb() {
        return new CachedRow(
                "report",
                "Cached report page ÷ bare Vert.x, same bytes",
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
        BareServer.Recorded response = cachedResponse(service, target);
        try (ChildProcess bare = bareServer(stage, response)) {
            String bareAddress = bare.await(Pattern.compile("ready (http://\\S+)"), 20);
            BenchOptions options = stage.options();
            stage.setLoaded();
            Comparison pair = Comparison.measure(
                    id(),
                    options,
                    new Comparison.Side(service.process(), duration -> {
                        // the cached result may have expired
                        cachedResponse(service, target);
                        return wrk.same(service.process(), service.address(), path + target, headers, duration);
                    }),
                    new Comparison.Side(
                            bare, duration -> wrk.same(bare, bareAddress, path + target, headers, duration)));
            return List.of(pair.line(what, goal, response.body().length + "-byte body"));
        }
    }

    /** The complete cached response. */
    private BareServer.Recorded cachedResponse(ServiceUnderLoad service, String target)
            throws IOException, InterruptedException {
        String api = INSTANT + target;
        service.get(api);
        String cached = new String(service.get(api).body(), StandardCharsets.UTF_8);
        HttpResponse<byte[]> response = service.get(path + target, headers);
        if (response.statusCode() != 200
                || !cached.contains("\"cached\":true")
                || !cached.contains("\"verdict\":\"pass\"")) {
            throw new IOException("not a cached pass: " + response.statusCode() + " " + cached);
        }
        List<String> recordedHeaders = new ArrayList<>();
        response.headers().map().forEach((name, values) -> {
            if (!name.equalsIgnoreCase("content-length")) {
                values.forEach(value -> recordedHeaders.addAll(List.of(name, value)));
            }
        });
        return new BareServer.Recorded(response.statusCode(), recordedHeaders, response.body());
    }

    private static ChildProcess bareServer(BenchStage stage, BareServer.Recorded response) throws IOException {
        Path file = stage.folder().resolve("response");
        response.write(file);
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
