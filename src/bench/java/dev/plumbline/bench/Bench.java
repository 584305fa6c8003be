package dev.plumbline.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures the service from its jar beside others on this machine and prints a table. Ratios are
 * what counts: the two sides of each were measured in turn in the same run.
 */
public final class Bench {
  private Bench() {}

  /** All there is to measure, in the order of the table. */
  static List<Row> rows() {
    CachedRow cached = new CachedRow();
    FreshRow http =
        new FreshRow(
            "http",
            "fresh http-status over HTTP ÷ blackbox_exporter /probe",
            false,
            "",
            3,
            "each as it does by default: ours sends HEAD, theirs GET");
    FreshRow httpGet =
        new FreshRow(
            "http-get", "the same with method=get", false, "?method=get", 3, "both send GET");
    FreshRow https =
        new FreshRow(
            "https",
            "fresh http-status over HTTPS ÷ blackbox_exporter /probe",
            true,
            "?verify_tls=false",
            2,
            "neither verifies the certificate; ours sends HEAD, theirs GET");
    FreshRow httpsGet =
        new FreshRow(
            "https-get",
            "the same with method=get",
            true,
            "?verify_tls=false&method=get",
            2,
            "neither verifies; both send GET");
    FreshRow httpsVerified =
        new FreshRow(
            "https-verified",
            "the same, only ours verifying",
            true,
            "",
            2,
            "ours verifies against a root in tls.extra_roots, theirs does not; HEAD and GET");
    return List.of(
        cached,
        http,
        httpGet,
        https,
        httpsGet,
        httpsVerified,
        new StartRow(),
        new MemoryRow(List.of(cached, http, https)));
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    BenchOptions options = BenchOptions.fromSystemProperties();
    List<Row> wanted =
        rows().stream()
            .filter(row -> options.only().isEmpty() || row.id().equals(options.only()))
            .toList();
    if (wanted.isEmpty()) {
      System.err.println(
          "there is no row "
              + options.only()
              + "; there are "
              + String.join(", ", rows().stream().map(Row::id).toList()));
      System.exit(2);
    }
    System.out.printf(
        Locale.ROOT,
        "%d rounds of %d s each after %d s of warm-up, %d connections, %d processors, Java %s%n",
        options.rounds(),
        options.round().toSeconds(),
        options.warmup().toSeconds(),
        BenchOptions.CONNECTIONS,
        Runtime.getRuntime().availableProcessors(),
        Runtime.version());
    List<Line> table = new ArrayList<>();
    boolean failed = false;
    try (Stage stage = new Stage(options)) {
      // stopped by hand, too, the bench leaves nothing running
      Runtime.getRuntime().addShutdownHook(new Thread(stage::close));
      for (Row row : wanted) {
        try {
          table.addAll(row.measure(stage));
        } catch (MissingProgramException missing) {
          table.add(Line.skipped(row.id(), String.valueOf(missing.getMessage())));
        } catch (IOException broken) {
          failed = true;
          table.add(Line.skipped(row.id(), String.valueOf(broken.getMessage())));
        }
      }
    }
    print(table);
    if (failed) {
      System.exit(1);
    }
  }

  private static void print(List<Line> table) {
    System.out.println();
    System.out.println("| what | figure | goal | ours | theirs | errors and notes |");
    System.out.println("|---|---|---|---|---|---|");
    for (Line line : table) {
      System.out.println(
          "| "
              + String.join(
                  " | ",
                  line.what(),
                  line.figure(),
                  line.goal(),
                  line.ours(),
                  line.theirs(),
                  line.note())
              + " |");
    }
  }
}
