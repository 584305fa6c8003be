package dev.plumbline.bench;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** A cached instant check through the whole API, beside a bare Vert.x server sending the same. */
final class CachedRow implements Row {
  private static final String WHAT = "cached instant check ÷ bare Vert.x, same bytes";
  private static final double GOAL = 0.9;

  @Override
  public String id() {
    return "cached";
  }

  @Override
  public List<Line> measure(Stage stage) throws IOException, InterruptedException {
    Wrk wrk = stage.wrk();
    Service service = stage.service();
    String path = Service.instantPath("http-status", stage.nginx().site(false) + "/cached", "");
    BareServer.Recorded answer = cachedAnswer(service, path);
    try (Child bare = bareServer(stage, answer)) {
      String bareAddress = bare.await(Pattern.compile("ready (http://\\S+)"), 20);
      BenchOptions options = stage.options();
      stage.setLoaded();
      Pair pair =
          Pair.measure(
              id(),
              options,
              duration -> {
                // the ten minutes may have run out
                cachedAnswer(service, path);
                return wrk.same(service.process(), service.address(), path, duration);
              },
              duration -> wrk.same(bare, bareAddress, path, duration));
      return List.of(pair.line(WHAT, GOAL, answer.body().length + " bytes of body"));
    }
  }

  /** The answer from the cache, whole. */
  private static BareServer.Recorded cachedAnswer(Service service, String path)
      throws IOException, InterruptedException {
    service.get(path);
    HttpResponse<byte[]> answer = service.get(path);
    String body = new String(answer.body(), StandardCharsets.UTF_8);
    if (answer.statusCode() != 200
        || !body.contains("\"cached\":true")
        || !body.contains("\"verdict\":\"pass\"")) {
      throw new IOException("not a cached pass: " + answer.statusCode() + " " + body);
    }
    List<String> headers = new ArrayList<>();
    answer
        .headers()
        .map()
        .forEach(
            (name, values) -> {
              if (!name.equalsIgnoreCase("content-length")) {
                values.forEach(value -> headers.addAll(List.of(name, value)));
              }
            });
    return new BareServer.Recorded(answer.statusCode(), headers, answer.body());
  }

  private static Child bareServer(Stage stage, BareServer.Recorded answer) throws IOException {
    Path file = stage.folder().resolve("answer");
    answer.write(file);
    List<String> command = new ArrayList<>(List.of(Service.java()));
    command.addAll(stage.options().jvmFlags());
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            BareServer.class.getName(),
            file.toString(),
            Integer.toString(Runtime.getRuntime().availableProcessors())));
    return Child.start("bare", stage.folder(), command, Map.of());
  }
}
