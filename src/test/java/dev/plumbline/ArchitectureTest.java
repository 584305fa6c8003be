package dev.plumbline;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.concurrent.VertxInternals;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks the code against the rules and the package table of src/docs/architecture.md. It does not use the JUnit engine
 * of ArchUnit, which conflicts with that of jqwik.
 */
class ArchitectureTest {
    private static final String ROOT = "dev.plumbline.";

    private static final ArchRule checkUsesOnlyFutureFromVertx = noClasses()
            .that()
            .resideInAPackage(ROOT + "check..")
            .should()
            .dependOnClassesThat(DescribedPredicate.describe(
                    "belong to Vert.x, except Future",
                    type -> type.getPackageName().startsWith("io.vertx") && !type.isEquivalentTo(Future.class)));

    /** Certificate evaluation does no I/O. */
    private static final ArchRule tlsIsPure = noClasses()
            .that()
            .resideInAPackage(ROOT + "tls..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("io.vertx..", "io.netty.."));

    private static final ArchRule modulesAreIndependent = classes()
            .that(DescribedPredicate.describe("belong to a module", type -> isModule(topLevelClass(type))))
            .should(new ArchCondition<>("not depend on another module") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                        JavaClass target =
                                topLevelClass(dependency.getTargetClass().getBaseComponentType());
                        if (isModule(target) && !target.equals(topLevelClass(type))) {
                            events.add(SimpleConditionEvent.violated(type, dependency.getDescription()));
                        }
                    }
                }
            });

    private static final ArchRule onlyEgressAndProbesOpenSockets = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT + "dns..", ROOT + "egress..", ROOT + "probe..", ROOT + "postgres..")
            .and()
            // delegates to the transport of Vert.x and opens no socket itself
            .haveNameNotMatching(".*\\.http\\.server\\.internal\\..*")
            .and()
            // connects only to the HTTP port of this process
            .doNotHaveSimpleName("HttpSelfProbe")
            .and()
            // connects only to the collector of the operator
            .doNotHaveSimpleName("CollectorSender")
            .should()
            .dependOnClassesThat()
            .haveNameMatching("io\\.vertx\\.core\\.net\\.NetClient.*|io\\.vertx\\.core\\.http\\.HttpClient.*"
                    + "|io\\.vertx\\.core\\.datagram\\..*|java\\.net\\.Socket"
                    + "|java\\.net\\.http\\..*|java\\.net\\.URLConnection"
                    + "|io\\.netty\\.bootstrap\\..*")
            .orShould()
            .callMethod(VertxInternals.class, "tcpChannel", Vertx.class);

    private static final ArchRule onlyStoresUseSql = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + "postgres..")
            .and()
            .haveSimpleNameNotEndingWith("Store")
            .and()
            .doNotHaveSimpleName("SlidingWindowQuotas")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx.sqlclient..", "io.vertx.pgclient..");

    private static final ArchRule onlyHttpUsesVertxWeb = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT + "http..")
            .and()
            // the client of the job commands, which connects only to the service of --server
            .doNotHaveSimpleName("ServiceClient")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx.ext.web..", "io.vertx.openapi..");

    /**
     * DNS, probes, batches and leases need contexts of their own and Netty channels: {@code VertxInternals} has both.
     */
    private static final ArchRule onlyTwoPlacesUseVertxInternals = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + "http.server.internal..")
            .and()
            .doNotHaveFullyQualifiedName(ROOT + "concurrent.VertxInternals")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx..impl..", "io.vertx..internal..");

    private static final ArchRule onlyOnePackageOfHttpUsesNetty = noClasses()
            .that()
            .resideInAPackage(ROOT + "http..")
            .and()
            .resideOutsideOfPackage(ROOT + "http.server.internal..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.netty.channel..",
                    "io.netty.bootstrap..",
                    "io.netty.handler.codec.http2..",
                    "io.vertx.core.spi..");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.plumbline");

    static Stream<Arguments> rules() {
        return Stream.of(
                arguments("check uses only Future from Vert.x", checkUsesOnlyFutureFromVertx),
                arguments("tls does not use Vert.x or Netty", tlsIsPure),
                arguments("modules do not depend on each other", modulesAreIndependent),
                arguments("only dns, egress, probe and postgres open sockets", onlyEgressAndProbesOpenSockets),
                arguments("only stores use SQL", onlyStoresUseSql),
                arguments("only http uses Vert.x Web", onlyHttpUsesVertxWeb),
                arguments(
                        "only http.server.internal and VertxInternals use Vert.x internals",
                        onlyTwoPlacesUseVertxInternals),
                arguments("in http, only http.server.internal uses Netty", onlyOnePackageOfHttpUsesNetty));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void codeFollowsRule(String name, ArchRule rule) {
        rule.as(name).check(CLASSES);
    }

    /** The root, and each package that contains other packages. */
    static Stream<String> parents() {
        Set<String> names = new TreeSet<>();
        for (JavaClass type : CLASSES) {
            String name = type.getPackageName();
            while (name.startsWith("dev.plumbline.")) {
                name = name.substring(0, name.lastIndexOf('.'));
                names.add(name);
            }
        }
        return names.stream();
    }

    /** The children of a package, and the classes in the package itself, do not depend on each other in a circle. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("parents")
    void packagesAreFreeOfCycles(String parent) {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public String getDescription() {
                        return "the packages in " + parent;
                    }

                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        String name = type.getPackageName();
                        if (name.equals(parent)) {
                            return SliceIdentifier.of("the package itself");
                        }
                        return name.startsWith(parent + '.')
                                ? SliceIdentifier.of(
                                        name.substring(parent.length() + 1).split("\\.")[0])
                                : SliceIdentifier.ignore();
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(CLASSES);
    }

    private static final Pattern ROW = Pattern.compile("^\\| `(?:dev\\.)?([a-z.]+)` \\|.*\\| ([^|]*) \\|$");
    private static final String EVERYTHING = "everything";

    /** The allowed dependencies of each package, as listed in the table of the document. */
    static Map<String, String> table() throws IOException {
        Map<String, String> table = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Path.of("src/docs/architecture.md"))) {
            Matcher matcher = ROW.matcher(line);
            if (matcher.matches()) {
                table.put(matcher.group(1), matcher.group(2));
            }
        }
        return table;
    }

    static Stream<Arguments> packages() throws IOException {
        return table().entrySet().stream().map(row -> arguments(row.getKey(), row.getValue()));
    }

    /** Fails on a dependency that the row omits and on a row entry without a dependency. */
    @ParameterizedTest(name = "{0} depends on {1}")
    @MethodSource("packages")
    void packageDependsExactlyOnItsTableRow(String row, String allowedPackages) throws IOException {
        Set<String> packages = table().keySet();
        Set<String> actual = new TreeSet<>();
        for (JavaClass type : CLASSES) {
            if (rowOf(type, packages).equals(row)) {
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    JavaClass target = dependency.getTargetClass().getBaseComponentType();
                    if (target.getPackageName().startsWith("dev.plumbline")) {
                        actual.add(rowOf(target, packages));
                    }
                }
            }
        }
        actual.remove(row);

        if (allowedPackages.equals(EVERYTHING)) {
            assertThat(row).isEqualTo("plumbline");
        } else {
            Set<String> allowed = new TreeSet<>();
            Matcher name = Pattern.compile("`([a-z.]+)`").matcher(allowedPackages);
            while (name.find()) {
                allowed.add(name.group(1));
            }
            assertThat(actual).isEqualTo(allowed);
        }
    }

    @Test
    void everyPackageHasTableRow() throws IOException {
        Set<String> packages = table().keySet();
        assertThat(CLASSES).isNotEmpty().allSatisfy(type -> assertThat(rowOf(type, packages))
                .isNotEmpty());
    }

    private static boolean isModule(JavaClass type) {
        return type.getPackageName().startsWith(ROOT + "module.")
                && (type.isAssignableTo(CheckModule.class) || type.isAssignableTo(ModuleDefinition.class));
    }

    private static JavaClass topLevelClass(JavaClass type) {
        JavaClass topLevel = type;
        while (topLevel.getEnclosingClass().isPresent()) {
            topLevel = topLevel.getEnclosingClass().get();
        }
        return topLevel;
    }

    /** The row of the package of a class, or of its nearest enclosing package with a row. */
    private static String rowOf(JavaClass type, Set<String> packages) {
        String name = type.getPackageName();
        if (name.equals("dev.plumbline")) {
            return "plumbline";
        }
        String row = name.substring(ROOT.length());
        while (!packages.contains(row) && row.contains(".")) {
            row = row.substring(0, row.lastIndexOf('.'));
        }
        return packages.contains(row) ? row : "";
    }
}
