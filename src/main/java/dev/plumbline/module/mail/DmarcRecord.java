package dev.plumbline.module.mail;

import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.TargetParser;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A DMARC record as it is written (RFC 7489 sections 6.3 and 6.4). Of tags that are wrong the
 * defaults hold.
 *
 * @param policy none, quarantine or reject; null when it says none of them
 * @param subdomainPolicy likewise, where it has one of its own
 * @param policyFirst whether the policy stands right after the version, as it must
 * @param testing whether the domain is only trying the policy (RFC 9989, tag t)
 * @param errors what is wrong, each a sentence
 * @param unknown names of tags that no standard knows
 */
record DmarcRecord(
        @Nullable String policy,
        @Nullable String subdomainPolicy,
        boolean policyFirst,
        int pct,
        boolean testing,
        String spfAlignment,
        String dkimAlignment,
        List<Report> aggregate,
        List<Report> failure,
        List<String> errors,
        List<String> unknown) {

    /**
     * Where reports are to be sent.
     *
     * @param uri as it is written
     * @param domain of the e-mail address; null when it is none
     */
    record Report(String uri, @Nullable String domain) {}

    private static final Pattern VERSION = Pattern.compile("v[ \\t]*+=[ \\t]*+DMARC1[ \\t]*+(;.*)?", Pattern.DOTALL);
    private static final Pattern VERSION_LIKE =
            Pattern.compile("\\W{0,8}(v\\s{0,8}=\\s{0,8})?dmarc.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern VERSION_LATER =
            Pattern.compile(";\\s{0,8}v\\s{0,8}=\\s{0,8}dmarc1", Pattern.CASE_INSENSITIVE);
    private static final Pattern SIZE = Pattern.compile(".*![0-9]{1,18}[kmgtKMGT]?");
    private static final Set<String> POLICIES = Set.of("none", "quarantine", "reject");

    /** Names of tags that are known and not looked at: fo, rf and ri are, and what came after. */
    private static final Set<String> LATER = Set.of("np", "psd", "t");

    /** Whether a text is meant to be a DMARC record (RFC 7489 section 6.6.3). */
    static boolean claims(String text) {
        return VERSION.matcher(text).matches();
    }

    /** Whether a text looks like a DMARC record, and is none. */
    static boolean resembles(String text) {
        return !claims(text)
                && (VERSION_LIKE.matcher(text).matches()
                        || VERSION_LATER.matcher(text).find());
    }

    /** Reads a text that {@link #claims} to be one. */
    static DmarcRecord parse(String text) {
        List<String> errors = new ArrayList<>();
        Map<String, String> tags = tags(text, errors);
        List<String> names = new ArrayList<>(tags.keySet());
        List<String> unknown = new ArrayList<>();
        for (String name : names) {
            switch (name) {
                case "v", "p", "sp", "pct", "aspf", "adkim", "rua", "ruf" -> {}
                case "fo" -> match(tags, name, "[01dsDS]([ \\t]*:[ \\t]*[01dsDS]){0,9}", errors);
                case "rf" -> match(tags, name, "[A-Za-z0-9-]{1,63}(:[A-Za-z0-9-]{1,63}){0,9}", errors);
                case "ri" -> match(tags, name, "[0-9]{1,10}", errors);
                default -> {
                    if (!LATER.contains(name)) {
                        unknown.add(name);
                    }
                }
            }
        }
        String policy = word(tags, "p", POLICIES, errors);
        return new DmarcRecord(
                policy,
                word(tags, "sp", POLICIES, errors),
                names.size() > 1 && names.get(1).equals("p"),
                percentage(tags, errors),
                "y".equalsIgnoreCase(tags.get("t")),
                alignment(tags, "aspf", errors),
                alignment(tags, "adkim", errors),
                reports(tags, "rua", errors),
                reports(tags, "ruf", errors),
                List.copyOf(errors),
                List.copyOf(unknown));
    }

    /** By name in lower case, in order; of equal names the first. */
    private static Map<String, String> tags(String text, List<String> errors) {
        Map<String, String> tags = new LinkedHashMap<>();
        for (String part : text.split(";")) {
            String tag = part.strip();
            int equals = tag.indexOf('=');
            if (tag.isEmpty()) {
                continue;
            }
            String name = equals < 0 ? tag : tag.substring(0, equals).strip().toLowerCase(Locale.ROOT);
            if (equals < 0 || !name.matches("[a-z][a-z0-9_]{0,30}")) {
                errors.add("The part " + shortened(tag) + " is no tag of the form name=value.");
            } else if (tags.putIfAbsent(name, tag.substring(equals + 1).strip()) != null) {
                errors.add("The tag " + name + " stands in the record twice.");
            }
        }
        return tags;
    }

    private static @Nullable String word(
            Map<String, String> tags, String name, Set<String> allowed, List<String> errors) {
        String value = tags.get(name);
        if (value == null) {
            return null;
        }
        String lower = value.toLowerCase(Locale.ROOT);
        if (allowed.contains(lower)) {
            return lower;
        }
        errors.add("The tag "
                + name
                + " must be one of "
                + String.join(", ", allowed.stream().sorted().toList())
                + ", and is "
                + shortened(value)
                + ".");
        return null;
    }

    private static String alignment(Map<String, String> tags, String name, List<String> errors) {
        String mode = word(tags, name, Set.of("r", "s"), errors);
        return mode == null ? "r" : mode;
    }

    private static int percentage(Map<String, String> tags, List<String> errors) {
        String value = tags.get("pct");
        if (value == null) {
            return 100;
        }
        if (!value.matches("[0-9]{1,3}") || Integer.parseInt(value) > 100) {
            errors.add("The tag pct must be a number from 0 to 100, and is " + shortened(value) + ".");
            return 100;
        }
        return Integer.parseInt(value);
    }

    private static void match(Map<String, String> tags, String name, String form, List<String> errors) {
        String value = String.valueOf(tags.get(name));
        if (!value.matches(form)) {
            errors.add("The tag " + name + " cannot be " + shortened(value) + ".");
        }
    }

    /** RFC 7489 section 6.2: a URI, and after an exclamation mark the largest report. */
    private static List<Report> reports(Map<String, String> tags, String name, List<String> errors) {
        List<Report> reports = new ArrayList<>();
        String value = tags.get(name);
        if (value == null) {
            return List.of();
        }
        for (String part : value.split(",")) {
            String uri = part.strip();
            String domain = domain(uri);
            reports.add(new Report(uri, domain));
            if (domain == null) {
                errors.add("The tag "
                        + name
                        + " must hold addresses such as mailto:a@example.com, not "
                        + shortened(uri)
                        + ".");
            }
        }
        return reports;
    }

    private static @Nullable String domain(String uri) {
        if (!uri.regionMatches(true, 0, "mailto:", 0, 7)) {
            return null;
        }
        String address = uri.substring(7);
        int size = address.lastIndexOf('!');
        if (size >= 0) {
            if (!SIZE.matcher(address).matches()) {
                return null;
            }
            address = address.substring(0, size);
        }
        int query = address.indexOf('?');
        try {
            return TargetParser.email(query < 0 ? address : address.substring(0, query))
                    .domain();
        } catch (InvalidTargetException notAnAddress) {
            return null;
        }
    }

    private static String shortened(String text) {
        return text.length() <= 60 ? "\"" + text + "\"" : "\"" + text.substring(0, 60) + "…\"";
    }
}
