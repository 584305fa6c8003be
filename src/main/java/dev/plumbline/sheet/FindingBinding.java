package dev.plumbline.sheet;

import com.google.common.base.CaseFormat;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Verifies that an interface has one method per declared finding, and implements it. */
public final class FindingBinding<F extends FindingCollector> {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z][a-z0-9_]*)}");

    private final Class<F> type;
    private final Map<Method, Template> templates;

    private FindingBinding(Class<F> type, Map<Method, Template> templates) {
        this.type = type;
        this.templates = templates;
    }

    /** A finding code and the names of its method's parameters. */
    private record Template(FindingCode code, List<String> parameters) {
        Finding fill(Object @Nullable [] arguments) {
            Map<String, String> values = new LinkedHashMap<>();
            for (int i = 0; i < parameters.size(); i++) {
                Object argument = arguments == null ? null : arguments[i];
                if (argument == null) {
                    throw new IllegalArgumentException(code.code() + ": " + parameters.get(i) + " is null");
                }
                values.put(parameters.get(i), FindingText.of(argument));
            }
            return new Finding(
                    code.level(),
                    code.code(),
                    code.field(),
                    replace(code.message(), values),
                    replace(code.action(), values),
                    code.reference());
        }

        private static String replace(String text, Map<String, String> values) {
            return PLACEHOLDER
                    .matcher(text)
                    .replaceAll(match -> Matcher.quoteReplacement(values.getOrDefault(match.group(1), match.group())));
        }
    }

    /** The findings and the error of one evaluation. */
    public static final class Collected {
        private final List<Finding> findings = new ArrayList<>();
        private final List<FindingCode> codes = new ArrayList<>();
        private @Nullable CheckError error;
        private int retryAfterSeconds;

        public Evaluation with(Map<String, @Nullable Object> fields) {
            return new Evaluation(fields, findings, error, retryAfterSeconds);
        }
    }

    /** @param faults receives a sentence for each mismatch */
    public static <F extends FindingCollector> FindingBinding<F> of(
            Class<F> type, List<FindingCode> codes, List<String> faults) {
        Map<String, FindingCode> declared = new LinkedHashMap<>();
        codes.forEach(code -> declared.put(code.code(), code));
        Map<Method, Template> templates = new LinkedHashMap<>();
        for (Method method : type.getMethods()) {
            if (method.getDeclaringClass() == FindingCollector.class || method.isDefault()) {
                continue;
            }
            FindingCode code = declared.remove(snakeCase(method.getName()));
            if (code == null) {
                faults.add("method " + method.getName() + ": the sheet declares no such finding");
                continue;
            }
            List<String> parameters = Arrays.stream(method.getParameters())
                    .map(Parameter::getName)
                    .map(FindingBinding::snakeCase)
                    .toList();
            Set<String> placeholders = placeholders(code);
            if (!placeholders.equals(new TreeSet<>(parameters))) {
                faults.add("finding %s: placeholders %s, but the method has parameters %s"
                        .formatted(code.code(), placeholders, parameters));
            }
            templates.put(method, new Template(code, parameters));
        }
        declared.keySet()
                .forEach(code -> faults.add("finding " + code + ": " + type.getSimpleName() + " has no such method"));
        return new FindingBinding<>(type, templates);
    }

    private static String snakeCase(String name) {
        return CaseFormat.LOWER_CAMEL.to(CaseFormat.LOWER_UNDERSCORE, name);
    }

    private static Set<String> placeholders(FindingCode code) {
        return PLACEHOLDER
                .matcher(code.message() + "\n" + code.action())
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    public F collector(Collected collected) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            Template template = templates.get(method);
            if (template != null) {
                collected.findings.add(template.fill(arguments));
                collected.codes.add(template.code());
                return null;
            }
            if (method.isDefault()) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            return switch (method.getName()) {
                case "error" -> {
                    if (arguments[0] != null) {
                        collected.error = (CheckError) arguments[0];
                    }
                    yield null;
                }
                case "retryAfter" -> {
                    long seconds = (long) arguments[0];
                    collected.retryAfterSeconds =
                            seconds > Evaluation.MAX_RETRY_AFTER_SECONDS ? 0 : (int) Math.max(1, seconds);
                    yield null;
                }
                case "codes" -> List.copyOf(collected.codes);
                default -> throw new IllegalStateException("unexpected call of " + method);
            };
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
