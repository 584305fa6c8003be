package dev.plumbline;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
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
import com.tngtech.archunit.lang.ArchRule;
import dev.plumbline.check.ModuleDefinition;
import io.vertx.core.Future;
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

/** The house rules of src/docs/architecture.md. */
class ArchitectureTest {
    private static final String ROOT = "dev.plumbline.";

    private static final ArchRule checksKnowNoVertxButFuture = noClasses()
            .that()
            .resideInAPackage(ROOT + "check..")
            .should()
            .dependOnClassesThat(DescribedPredicate.describe(
                    "are of Vert.x, but for Future",
                    type -> type.getPackageName().startsWith("io.vertx") && !type.isEquivalentTo(Future.class)));

    /** Judging certificates is pure. */
    private static final ArchRule tlsJudgesAlone = noClasses()
            .that()
            .resideInAPackage(ROOT + "tls..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("io.vertx..", "io.netty.."));

    private static final ArchRule noModuleKnowsAnother = noClasses()
            .that()
            .implement(ModuleDefinition.class)
            .should()
            .dependOnClassesThat(DescribedPredicate.describe(
                    "are other modules", type -> type.isAssignableTo(ModuleDefinition.class) && !type.isInterface()));

    private static final ArchRule arrowsRunDown =
            slices().matching(ROOT + "(*)..").should().beFreeOfCycles();

    private static final ArchRule onlyProbesOpenSocketsToTargets = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT + "probe..", ROOT + "store..")
            .and()
            // passes on what it is given and opens nothing
            .haveNameNotMatching(".*\\.GuardedTransport.*")
            .should()
            .dependOnClassesThat()
            .haveNameMatching("io\\.vertx\\.core\\.net\\.NetClient.*|io\\.vertx\\.core\\.http\\.HttpClient.*"
                    + "|io\\.vertx\\.core\\.datagram\\..*|java\\.net\\.Socket"
                    + "|java\\.net\\.http\\..*|java\\.net\\.URLConnection"
                    + "|io\\.netty\\.bootstrap\\..*");

    private static final ArchRule onlyStoresSpeakSql = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + "store..")
            .and()
            .haveSimpleNameNotEndingWith("Store")
            .and()
            .doNotHaveSimpleName("SlidingWindows")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx.sqlclient..", "io.vertx.pgclient..");

    private static final ArchRule onlyHttpKnowsVertxWeb = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT + "http..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx.ext.web..", "io.vertx.openapi..");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.plumbline");

    static Stream<Arguments> rules() {
        return Stream.of(
                arguments("checks know no Vert.x but Future", checksKnowNoVertxButFuture),
                arguments("tls judges alone", tlsJudgesAlone),
                arguments("no module knows another", noModuleKnowsAnother),
                arguments("arrows run down", arrowsRunDown),
                arguments("only probes open sockets to targets", onlyProbesOpenSocketsToTargets),
                arguments("only stores speak sql", onlyStoresSpeakSql),
                arguments("only http knows Vert.x Web", onlyHttpKnowsVertxWeb));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void theHouseStands(String name, ArchRule rule) {
        rule.as(name).check(CLASSES);
    }

    private static final Pattern ROW = Pattern.compile("^\\| `(?:dev\\.)?([a-z.]+)` \\|.*\\| ([^|]*) \\|$");
    private static final String EVERYTHING = "everything";

    /** What each package may know, by the table of the document. */
    static Map<String, String> table() throws IOException {
        Map<String, String> table = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Path.of("src/docs/architecture.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                table.put(row.group(1), row.group(2));
            }
        }
        return table;
    }

    static Stream<Arguments> rooms() throws IOException {
        return table().entrySet().stream().map(row -> arguments(row.getKey(), row.getValue()));
    }

    /** Nothing but what the table allows, and nothing allowed for nothing. */
    @ParameterizedTest(name = "{0} knows {1}")
    @MethodSource("rooms")
    void eachRoomKnowsWhatTheTableSays(String room, String mayKnow) throws IOException {
        Set<String> rooms = table().keySet();
        Set<String> known = new TreeSet<>();
        for (JavaClass type : CLASSES) {
            if (room(type, rooms).equals(room)) {
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    JavaClass target = dependency.getTargetClass().getBaseComponentType();
                    if (target.getPackageName().startsWith("dev.plumbline")) {
                        known.add(room(target, rooms));
                    }
                }
            }
        }
        known.remove(room);

        if (mayKnow.equals(EVERYTHING)) {
            assertThat(room).isEqualTo("plumbline");
        } else {
            Set<String> allowed = new TreeSet<>();
            Matcher name = Pattern.compile("`([a-z.]+)`").matcher(mayKnow);
            while (name.find()) {
                allowed.add(name.group(1));
            }
            assertThat(known).isEqualTo(allowed);
        }
    }

    @Test
    void everyPackageHasItsRow() throws IOException {
        Set<String> rooms = table().keySet();
        assertThat(CLASSES).isNotEmpty().allSatisfy(type -> assertThat(room(type, rooms))
                .isNotEmpty());
    }

    /** The row that a class belongs to: that of its package, or of the nearest one around it. */
    private static String room(JavaClass type, Set<String> rooms) {
        String name = type.getPackageName();
        if (name.equals("dev.plumbline")) {
            return "plumbline";
        }
        String room = name.substring(ROOT.length());
        while (!rooms.contains(room) && room.contains(".")) {
            room = room.substring(0, room.lastIndexOf('.'));
        }
        return rooms.contains(room) ? room : "";
    }
}
