package dev.plumbline.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Judgement;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.module.web.HttpStatus;
import dev.plumbline.probe.HttpProbe;
import dev.plumbline.probe.TestContext;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LabTest {
  private static final Set<String> ERRORS =
      Arrays.stream(ErrorCode.values()).map(ErrorCode::id).collect(Collectors.toSet());

  @Test
  void offersWhatItPromisesAndNothingReachesACanary() throws Exception {
    HttpStatus module = new HttpStatus();
    try (HttpBench bench = HttpBench.start()) {
      List<Future<?>> checks = new ArrayList<>();
      for (LabTarget offer : bench.lab().targets()) {
        Target target = TargetParser.parse(module.description(), offer.target());
        TestContext context =
            TestContext.of(module.description(), Map.of())
                .withDeadline(8_000)
                .withProbe(HttpProbe.class, bench.probe());
        checks.add(
            module
                .collect(target, context)
                .map(evidence -> module.judge(evidence, context.options()))
                .map(judgement -> keptPromise(offer, judgement)));
      }
      Await.value(Future.join(checks).transform(all -> Future.succeededFuture()));

      assertThat(checks).hasSizeGreaterThan(90);
      assertThat(checks).extracting(Future::cause).containsOnlyNulls();
      assertThat(bench.lab().canaryTouches()).isZero();
    }
  }

  @Test
  void saysHowToStartTheServiceAgainstIt() {
    try (Lab lab = new Lab(0, 0, 0)) {
      assertThat(lab.targets())
          .extracting(LabTarget::module)
          .contains("http-status", "ssl-certificate");
      assertThat(lab.environment(Path.of("root.pem")))
          .contains("PLUMBLINE_TARGETS_ALLOW=127.0.0.1/32", "PLUMBLINE_TLS_EXTRA_ROOTS=root.pem")
          .noneMatch(line -> line.contains(":" + lab.http().canary().port()))
          .allMatch(line -> line.matches("PLUMBLINE_[A-Z_]+=\\S+"));
      assertThat(lab.rootPem()).startsWith("-----BEGIN CERTIFICATE-----");
    }
  }

  private static LabTarget keptPromise(LabTarget offer, Judgement judgement) {
    String error = judgement.error() == null ? "" : judgement.error().code().id();
    if (ERRORS.contains(offer.expectation())) {
      assertThat(error).as(offer.target()).isEqualTo(offer.expectation());
    } else if (offer.expectation().matches("[0-9]{3}\\b.*")) {
      assertThat(judgement.fields())
          .as(offer.target())
          .containsEntry("status", Integer.parseInt(offer.expectation().substring(0, 3)));
    }
    return offer;
  }
}
