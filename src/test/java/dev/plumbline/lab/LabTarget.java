package dev.plumbline.lab;

import dev.plumbline.result.ErrorCode;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A target of the lab and the expected result of a module.
 *
 * @param module name of the module
 * @param target target of the check; for certificate modules optionally followed by options in the form of a query
 * @param expectation one or more outcomes separated by {@code or}, optionally followed by an explanation. An outcome is
 *     a status, an error code, {@code verdict=warn}, a field such as {@code problem=expired}, or
 *     {@code error=read_timeout}. {@code with method=get} states an option that the check needs.
 */
public record LabTarget(String module, String target, String expectation) {
    static final Set<ErrorCode> TIMEOUT_ERRORS = EnumSet.of(
            ErrorCode.DNS_TIMEOUT, ErrorCode.CONNECT_TIMEOUT, ErrorCode.READ_TIMEOUT, ErrorCode.DEADLINE_EXCEEDED);

    private static final Set<String> ERRORS =
            Arrays.stream(ErrorCode.values()).map(ErrorCode::id).collect(Collectors.toSet());
    private static final Pattern OUTCOMES = Pattern.compile("^([a-z0-9_.=-]+(?: or [a-z0-9_.=-]+)*)(?=$|[ ,;])");
    private static final Pattern OPTION = Pattern.compile(" with ([a-z_]+)=([a-z]+)");

    /** The target without options. */
    public String input() {
        return hasQuery() ? target.substring(0, target.indexOf('?')) : target;
    }

    /** The options of the check, in the form of a query. */
    public Map<String, String> options() {
        Map<String, String> options = new HashMap<>();
        if (hasQuery()) {
            for (String pair : target.substring(target.indexOf('?') + 1).split("&")) {
                options.put(pair.split("=")[0], pair.split("=")[1]);
            }
        }
        Matcher option = OPTION.matcher(expectation);
        if (option.find()) {
            options.put(option.group(1), option.group(2));
        }
        return options;
    }

    private boolean hasQuery() {
        return module.endsWith("-certificate") && target.contains("?");
    }

    /** The expected outcomes. @throws AssertionError if the expectation does not start with an outcome */
    public List<String> outcomes() {
        Matcher matcher = OUTCOMES.matcher(expectation);
        List<String> outcomes = matcher.find() ? List.of(matcher.group(1).split(" or ")) : List.of();
        if (outcomes.isEmpty() || !outcomes.stream().allMatch(LabTarget::isOutcome)) {
            throw new AssertionError(this + " has no checkable outcome");
        }
        return outcomes;
    }

    private static boolean isOutcome(String text) {
        return text.matches("[1-5][0-9]{2}|(?!error=)[a-z0-9_]+=[a-z0-9_]+")
                || ERRORS.contains(text.replaceFirst("^error=", ""));
    }

    /** Whether each check has the same outcome, also on a slow machine: exactly one that is not a timeout. */
    public boolean hasOneOutcome() {
        return outcomes().size() == 1
                && TIMEOUT_ERRORS.stream().noneMatch(error -> outcomes().get(0).endsWith(error.id()));
    }
}
