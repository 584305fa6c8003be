package dev.plumbline;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.properties.HasAnnotations;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.plumbline.app.Service;
import dev.plumbline.postgres.embedded.EmbeddedPostgres;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * {@code mvn test} starts no process: a test that reaches the start of a program through test code has the tag
 * {@code integration} or {@code scenario}, on its method or on a class around it.
 */
class UnitTestScopeTest {
    private static final JavaClasses TEST_CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.OnlyIncludeTests())
            .importPackages("dev.plumbline");

    private static final Set<String> LIFECYCLE = Set.of("BeforeAll", "BeforeEach", "AfterAll", "AfterEach");
    private static final Set<String> TEST_ANNOTATIONS =
            Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property", "Example");

    @Test
    void unitTestsStartNoProcess() {
        List<String> violations = new ArrayList<>();
        int unitTests = 0;
        int integrationTests = 0;
        for (JavaClass type : TEST_CLASSES) {
            for (JavaMethod test : type.getMethods()) {
                if (!isAnnotatedBySimpleName(test, TEST_ANNOTATIONS)) {
                    continue;
                }
                if (hasTag(test) || isTagged(type)) {
                    integrationTests++;
                } else {
                    unitTests++;
                    pathToProcess(test).ifPresent(violations::add);
                }
            }
        }

        assertThat(violations).isEmpty();
        assertThat(unitTests).isGreaterThan(1_500);
        assertThat(integrationTests).isGreaterThan(300);
    }

    private static boolean isAnnotatedBySimpleName(JavaMethod method, Set<String> names) {
        return method.getAnnotations().stream()
                .map(JavaAnnotation::getRawType)
                .anyMatch(type -> names.contains(type.getSimpleName()));
    }

    private static boolean hasTag(HasAnnotations<?> element) {
        return element.isAnnotatedWith(Tag.class);
    }

    /** Whether the class, a superclass or a class around it has a tag. */
    private static boolean isTagged(JavaClass type) {
        return hasTag(type)
                || type.getRawSuperclass().filter(UnitTestScopeTest::isTagged).isPresent()
                || type.getEnclosingClass().filter(UnitTestScopeTest::isTagged).isPresent();
    }

    /** A chain of calls from a test, or from the preparation of its class, to the start of a process. */
    private static Optional<String> pathToProcess(JavaMethod test) {
        Deque<List<JavaCodeUnit>> paths = new ArrayDeque<>();
        Set<JavaCodeUnit> seen = new HashSet<>();
        Stream.concat(Stream.of(test), preparation(test.getOwner())).forEach(start -> {
            seen.add(start);
            paths.add(List.of(start));
        });
        while (!paths.isEmpty()) {
            List<JavaCodeUnit> path = paths.poll();
            for (JavaAccess<?> access : path.get(path.size() - 1).getAccessesFromSelf()) {
                if (startsProcess(access.getTarget())) {
                    return Optional.of(test.getFullName() + ": " + path + " -> "
                            + access.getTarget().getFullName());
                }
                reached(access.getTarget()).filter(seen::add).forEach(next -> {
                    List<JavaCodeUnit> longer = new ArrayList<>(path);
                    longer.add(next);
                    paths.add(longer);
                });
            }
        }
        return Optional.empty();
    }

    /** Initializers, constructors, lifecycle methods and extensions of a test class and of the classes around it. */
    private static Stream<JavaCodeUnit> preparation(JavaClass type) {
        Stream<JavaCodeUnit> own = Stream.of(
                        type.getConstructors().stream(),
                        type.getStaticInitializer().stream(),
                        type.getAllMethods().stream().filter(method -> isAnnotatedBySimpleName(method, LIFECYCLE)),
                        type.getAllFields().stream()
                                .filter(field -> field.isAnnotatedWith(RegisterExtension.class))
                                .map(JavaField::getRawType)
                                .flatMap(extension -> extension.getMethods().stream())
                                .filter(method -> method.getName().startsWith("before")))
                .flatMap(units -> units);
        return Stream.concat(own, type.getEnclosingClass().stream().flatMap(UnitTestScopeTest::preparation));
    }

    private static boolean startsProcess(AccessTarget target) {
        JavaClass owner = target.getOwner();
        return owner.isEquivalentTo(ProcessBuilder.class)
                || owner.isEquivalentTo(Runtime.class) && target.getName().equals("exec")
                || owner.isEquivalentTo(EmbeddedPostgres.class)
                        && target.getName().equals("start")
                || owner.isEquivalentTo(Service.class) && target.getName().equals("start")
                || owner.getPackageName().startsWith("com.microsoft.playwright");
    }

    /** The code of the tests that an access executes: a method, a constructor, and the initializer of its class. */
    private static Stream<JavaCodeUnit> reached(AccessTarget target) {
        JavaClass owner = target.getOwner();
        if (!TEST_CLASSES.contain(owner.getName())) {
            return Stream.empty();
        }
        Stream<JavaCodeUnit> called = target instanceof AccessTarget.CodeUnitAccessTarget unit
                ? unit.resolveMember().stream().map(JavaCodeUnit.class::cast)
                : Stream.empty();
        return Stream.concat(called, owner.getStaticInitializer().stream());
    }
}
