package dev.plumbline.bench;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Bulk jobs of one module, from the first POST to the last stored result: lines a second. */
final class ModuleRow implements Row {
  private static final int LEAST_JOBS = 2;
  private static final int MOST_JOBS = 80;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final String module;
  private final Targets targets;
  private int lists;

  /** What is checked: another target for each name that never stood before. */
  interface Targets {
    String of(Stage stage, String name) throws IOException, InterruptedException;
  }

  private record Lap(double rate, long wrong, double cpuMicros, double databaseMicros) {}

  ModuleRow(String module, Targets targets) {
    this.module = module;
    this.targets = targets;
  }

  /** Pages of the nginx of the bench, below this. */
  static Targets pages(boolean tls, String below) {
    return (stage, name) -> stage.nginx().site(tls) + below + name;
  }

  static Targets names() {
    return (stage, name) -> name + "." + Names.ZONE;
  }

  /** The nginx of the bench, under many names. */
  static Targets servers() {
    return (stage, name) -> name + "." + Names.ZONE + ":" + stage.nginx().httpsPort();
  }

  @Override
  public String id() {
    return "bulk-" + module;
  }

  @Override
  public List<Line> measure(Stage stage) throws IOException, InterruptedException {
    Service service = stage.resolving();
    JobClient client = new JobClient(service, service.tenants().newKey());
    BenchOptions options = stage.options();
    int jobs = LEAST_JOBS;
    long end = System.nanoTime() + options.warmup().toNanos();
    do {
      double wanted =
          lap(stage, service, client, jobs).rate
              * options.round().toSeconds()
              / JobClient.MOST_LINES;
      jobs = (int) Math.max(LEAST_JOBS, Math.min(MOST_JOBS, Math.ceil(wanted)));
    } while (System.nanoTime() < end);
    List<Lap> laps = new ArrayList<>();
    for (int round = 1; round <= options.rounds(); round++) {
      Lap lap = lap(stage, service, client, jobs);
      laps.add(lap);
      System.out.printf(
          Locale.ROOT,
          "  %s, round %d: %,.0f/s (%.0f + %.0f µs); errors %d%n",
          id(),
          round,
          lap.rate,
          lap.cpuMicros,
          lap.databaseMicros,
          lap.wrong);
    }
    return List.of(line(laps, jobs * JobClient.MOST_LINES));
  }

  private Lap lap(Stage stage, Service service, JobClient client, int jobs)
      throws IOException, InterruptedException {
    String before = "n" + ++lists + "-";
    List<String> list = new ArrayList<>();
    for (int i = 0; i < jobs * JobClient.MOST_LINES; i++) {
      list.add(targets.of(stage, before + i));
    }
    List<String> bodies = JobClient.bodies(module, list, new JsonObject());
    long cpu = service.process().cpuMillis();
    long databaseCpu = service.postgres().cpuMillis();
    Instant began = Instant.now();
    Instant ended = began;
    int wrong = 0;
    for (String token : client.createAll(bodies)) {
      JsonObject job = client.awaitEnd(token, PATIENCE);
      Instant finished = JobClient.finishedAt(job);
      ended = finished.isAfter(ended) ? finished : ended;
      wrong += job.getJsonObject("counts").getInteger("error");
    }
    return new Lap(
        (list.size() - wrong) / (Duration.between(began, ended).toNanos() / 1e9),
        wrong,
        (service.process().cpuMillis() - cpu) * 1e3 / list.size(),
        (service.postgres().cpuMillis() - databaseCpu) * 1e3 / list.size());
  }

  private Line line(List<Lap> laps, int lines) {
    return new Line(
        "bulk " + module,
        Spread.of(laps.stream().map(Lap::rate).toList()).text(0) + " lines/s",
        String.format(
            Locale.ROOT,
            "%.0f µs CPU each and %.0f in PostgreSQL",
            Spread.of(laps.stream().map(Lap::cpuMicros).toList()).median(),
            Spread.of(laps.stream().map(Lap::databaseMicros).toList()).median()),
        "",
        "",
        String.format(
            Locale.ROOT,
            "%,d errors of %,d lines in each of %d rounds",
            laps.stream().mapToLong(Lap::wrong).sum(),
            lines,
            laps.size()));
  }
}
