package dev.plumbline;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.plumbline.check.CheckModule;
import io.vertx.core.Future;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The house rules of src/docs/architecture.md. */
class ArchitectureTest {
  private static final String ROOT = "dev.plumbline.";

  /** What a check is knows nothing of how it is run, found or shown. */
  private static final ArchRule checkStandsAlone =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "check..")
          .should()
          .dependOnClassesThat(
              resideInAPackage("dev.plumbline..").and(not(resideInAPackage(ROOT + "check.."))))
          .orShould()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "are of Vert.x, but for Future",
                  type ->
                      type.getPackageName().startsWith("io.vertx")
                          && !type.isEquivalentTo(Future.class)));

  /** Judging certificates is pure. */
  private static final ArchRule tlsJudgesAlone =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "tls..")
          .should()
          .dependOnClassesThat(resideInAnyPackage("io.vertx..", "io.netty.."));

  private static final ArchRule modulesSeeChecksAndProbesOnly =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "module..")
          .should()
          .dependOnClassesThat(
              resideInAPackage("dev.plumbline..")
                  .and(
                      not(
                          resideInAnyPackage(
                              ROOT + "check..",
                              ROOT + "probe..",
                              ROOT + "tls..",
                              ROOT + "module.."))));

  private static final ArchRule noModuleKnowsAnother =
      noClasses()
          .that()
          .implement(CheckModule.class)
          .should()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "are other modules",
                  type -> type.isAssignableTo(CheckModule.class) && !type.isInterface()));

  private static final ArchRule arrowsRunDown =
      slices().matching(ROOT + "(*)..").should().beFreeOfCycles();

  private static final ArchRule onlyProbesOpenSocketsToTargets =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT + "probe..", ROOT + "store..")
          .and()
          // passes on what it is given and opens nothing
          .haveNameNotMatching(".*\\.GuardedTransport.*")
          .should()
          .dependOnClassesThat()
          .haveNameMatching(
              "io\\.vertx\\.core\\.net\\.NetClient.*|io\\.vertx\\.core\\.http\\.HttpClient.*"
                  + "|io\\.vertx\\.core\\.datagram\\..*|java\\.net\\.Socket"
                  + "|java\\.net\\.http\\..*|java\\.net\\.URLConnection"
                  + "|io\\.netty\\.bootstrap\\..*");

  private static final ArchRule onlyStoresSpeakSql =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + "store..")
          .and()
          .haveSimpleNameNotEndingWith("Store")
          .and()
          .doNotHaveSimpleName("SlidingWindows")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.vertx.sqlclient..", "io.vertx.pgclient..");

  private static final ArchRule nobodyBelowHttpKnowsHttp =
      noClasses()
          .that()
          .resideInAnyPackage(
              ROOT + "instant..",
              ROOT + "run..",
              ROOT + "limit..",
              ROOT + "probe..",
              ROOT + "module..",
              ROOT + "store..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(ROOT + "http..", "io.vertx.ext.web..");

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.plumbline");

  static Stream<Arguments> rules() {
    return Stream.of(
        arguments("check stands alone", checkStandsAlone),
        arguments("tls judges alone", tlsJudgesAlone),
        arguments("modules see checks and probes only", modulesSeeChecksAndProbesOnly),
        arguments("no module knows another", noModuleKnowsAnother),
        arguments("arrows run down", arrowsRunDown),
        arguments("only probes open sockets to targets", onlyProbesOpenSocketsToTargets),
        arguments("only stores speak sql", onlyStoresSpeakSql),
        arguments("nobody below http knows http", nobodyBelowHttpKnowsHttp));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rules")
  void theHouseStands(String name, ArchRule rule) {
    rule.as(name).check(CLASSES);
  }
}
