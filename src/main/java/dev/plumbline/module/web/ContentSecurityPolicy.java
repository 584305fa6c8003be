package dev.plumbline.module.web;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One Content-Security-Policy, taken apart as browsers do (CSP Level 3), and what it fails to stop.
 * Pure.
 *
 * @param directives by lower-case name, in order; of two alike only the first counts
 * @param faults what a browser passes over, for people
 */
record ContentSecurityPolicy(Map<String, List<String>> directives, List<String> faults) {

    /** What a policy does not stop, or says in vain. */
    enum Gap {
        SCRIPTS_UNLIMITED,
        INLINE_SCRIPTS,
        ANY_SOURCE,
        SHARED_HOST,
        BYPASS_HOST,
        PLAIN_HTTP_SOURCE,
        EVAL,
        SHORT_NONCE,
        OBJECTS_UNLIMITED,
        BASE_UNLIMITED,
        FORMS_UNLIMITED,
        INLINE_STYLES
    }

    /**
     * One gap.
     *
     * @param directive where it is, or where it ought to be closed
     * @param value the source that opens it; empty where one is missing
     */
    record Weakness(Gap gap, String directive, String value) {}

    static final int MOST_POLICIES = 50;
    private static final int MOST_SOURCES = 500;

    private static final Pattern UNQUOTED_KEYWORD =
            Pattern.compile("self|none|unsafe-inline|unsafe-eval|strict-dynamic|unsafe-hashes|wasm-unsafe-eval"
                    + "|(nonce|sha256|sha384|sha512)-.++");

    private static final Set<String> KEYWORDS = Set.of(
            "'self'",
            "'none'",
            "'unsafe-inline'",
            "'unsafe-eval'",
            "'wasm-unsafe-eval'",
            "'trusted-types-eval'",
            "'strict-dynamic'",
            "'unsafe-hashes'",
            "'report-sample'",
            "'inline-speculation-rules'",
            "'report-sha256'",
            "'report-sha384'",
            "'report-sha512'");

    private static final Set<String> SOURCE_LISTS = Set.of(
            "default-src",
            "script-src",
            "script-src-elem",
            "script-src-attr",
            "style-src",
            "style-src-elem",
            "style-src-attr",
            "img-src",
            "font-src",
            "connect-src",
            "media-src",
            "object-src",
            "frame-src",
            "child-src",
            "worker-src",
            "manifest-src",
            "fenced-frame-src",
            "prefetch-src",
            "base-uri",
            "form-action",
            "frame-ancestors",
            "navigate-to");

    private static final Set<String> OTHER_DIRECTIVES = Set.of(
            "sandbox",
            "report-uri",
            "report-to",
            "upgrade-insecure-requests",
            "block-all-mixed-content",
            "require-trusted-types-for",
            "trusted-types",
            "plugin-types",
            "require-sri-for",
            "webrtc");

    ContentSecurityPolicy {
        directives = Collections.unmodifiableMap(new LinkedHashMap<>(directives));
        faults = List.copyOf(faults);
    }

    /**
     * The policies of these headers, {@value #MOST_POLICIES} at most: each may hold several, with
     * commas between them.
     */
    static List<ContentSecurityPolicy> parseAll(List<String> headers) {
        List<ContentSecurityPolicy> policies = new ArrayList<>();
        for (String header : headers) {
            for (String text : header.split(",", -1)) {
                if (!text.isBlank() && policies.size() < MOST_POLICIES) {
                    policies.add(parse(text));
                }
            }
        }
        return policies;
    }

    static ContentSecurityPolicy parse(String text) {
        Map<String, List<String>> directives = new LinkedHashMap<>();
        Set<String> faults = new LinkedHashSet<>();
        for (String part : text.split(";", -1)) {
            String directive = part.strip();
            if (directive.isEmpty()) {
                continue;
            }
            String[] words = directive.split("[ \\t\\n\\f\\r]+");
            String name = words[0].toLowerCase(Locale.ROOT);
            List<String> values = List.of(words).subList(1, Math.min(words.length, MOST_SOURCES + 1));
            if (directives.containsKey(name)) {
                faults.add("The directive " + name + " is there twice; browsers take the first.");
                continue;
            }
            directives.put(name, List.copyOf(values));
            if (SOURCE_LISTS.contains(name)) {
                faults(name, values, faults);
            } else if (!OTHER_DIRECTIVES.contains(name)) {
                faults.add("There is no directive " + name + ".");
            }
        }
        return new ContentSecurityPolicy(directives, new ArrayList<>(faults));
    }

    private static void faults(String name, List<String> values, Set<String> faults) {
        for (String value : values) {
            String lower = value.toLowerCase(Locale.ROOT);
            boolean quoted = value.startsWith("'");
            if (SOURCE_LISTS.contains(lower) || OTHER_DIRECTIVES.contains(lower)) {
                faults.add("In " + name + " a semicolon seems to be missing before " + lower + ".");
            } else if (UNQUOTED_KEYWORD.matcher(lower).matches()) {
                faults.add("In " + name + " the word " + value + " needs quotes: '" + value + "'.");
            } else if (quoted
                    && !KEYWORDS.contains(lower)
                    && !CspSourceList.isNonce(value)
                    && !CspSourceList.isHash(value)) {
                faults.add("In " + name + " nothing is meant by " + value + ".");
            } else if (lower.equals("'none'") && values.size() > 1) {
                faults.add("In " + name + " the word 'none' is passed over, for it does not stand alone.");
            } else if (!quoted && CspSourceList.isForeignAddress(lower)) {
                faults.add("In " + name + " the address " + value + " is passed over; names are wanted.");
            }
        }
        if (CspSourceList.holds(values, "'strict-dynamic'") && !CspSourceList.hasNonceOrHash(values)) {
            faults.add("In " + name + " 'strict-dynamic' stands without a nonce or hash, so no script can run.");
        }
    }

    /** The first of these directives that is there; null where none is. */
    private @Nullable List<String> effective(String... names) {
        for (String name : names) {
            List<String> values = directives.get(name);
            if (values != null) {
                return values;
            }
        }
        return null;
    }

    private String nameOf(String... names) {
        for (String name : names) {
            if (directives.containsKey(name)) {
                return name;
            }
        }
        return names[0];
    }

    /** Whether it says who may frame the page, and does not say everybody. */
    boolean limitsFraming() {
        List<String> ancestors = directives.get("frame-ancestors");
        return ancestors != null && ancestors.stream().noneMatch(CspSourceList::isAnything);
    }

    /** All that it leaves open, each gap once for each source that opens it. */
    List<Weakness> weaknesses() {
        Set<Weakness> found = new LinkedHashSet<>();
        if (!forbidsScripts()) {
            scripts(found, "script-src-elem", "script-src", "default-src");
            if (directives.containsKey("script-src-attr")) {
                inline(found, "script-src-attr");
            }
            List<String> evals = effective("script-src", "default-src");
            if (evals != null && CspSourceList.holds(evals, "'unsafe-eval'")) {
                found.add(new Weakness(Gap.EVAL, nameOf("script-src", "default-src"), "'unsafe-eval'"));
            }
            objects(found);
            base(found);
        }
        if (!directives.containsKey("form-action")) {
            found.add(new Weakness(Gap.FORMS_UNLIMITED, "form-action", ""));
        }
        List<String> styles = effective("style-src-elem", "style-src", "default-src");
        if (styles == null || CspSourceList.holds(styles, "'unsafe-inline'") && !CspSourceList.hasNonceOrHash(styles)) {
            found.add(new Weakness(
                    Gap.INLINE_STYLES,
                    nameOf("style-src-elem", "style-src", "default-src"),
                    styles == null ? "" : "'unsafe-inline'"));
        }
        return new ArrayList<>(found);
    }

    /** The sandbox runs no script unless it is told to. */
    private boolean forbidsScripts() {
        List<String> sandbox = directives.get("sandbox");
        return sandbox != null && !CspSourceList.holds(sandbox, "allow-scripts");
    }

    private void scripts(Set<Weakness> found, String... names) {
        List<String> sources = effective(names);
        String name = nameOf(names);
        if (sources == null) {
            found.add(new Weakness(Gap.SCRIPTS_UNLIMITED, "script-src", ""));
            return;
        }
        inline(found, name);
        for (String source : sources) {
            if (CspSourceList.shortNonce(source)) {
                found.add(new Weakness(Gap.SHORT_NONCE, name, "'nonce-…'"));
            }
        }
        if (CspSourceList.holds(sources, "'strict-dynamic'")) {
            return; // browsers pass over hosts and schemes then
        }
        for (String source : sources) {
            Gap gap = CspSourceList.gapOf(source.toLowerCase(Locale.ROOT));
            if (gap != null) {
                found.add(new Weakness(gap, name, source));
            }
        }
    }

    private void inline(Set<Weakness> found, String name) {
        List<String> sources = directives.getOrDefault(name, List.of());
        if (CspSourceList.holds(sources, "'unsafe-inline'")
                && !CspSourceList.hasNonceOrHash(sources)
                && !CspSourceList.holds(sources, "'strict-dynamic'")) {
            found.add(new Weakness(Gap.INLINE_SCRIPTS, name, "'unsafe-inline'"));
        }
    }

    private void objects(Set<Weakness> found) {
        List<String> sources = effective("object-src", "default-src");
        String name = nameOf("object-src", "default-src");
        if (sources == null) {
            found.add(new Weakness(Gap.OBJECTS_UNLIMITED, name, ""));
            return;
        }
        for (String source : sources) {
            if (CspSourceList.isAnything(source) || source.equalsIgnoreCase("data:")) {
                found.add(new Weakness(Gap.OBJECTS_UNLIMITED, name, source));
            }
        }
    }

    /** A base element moves relative scripts elsewhere, which only lists of hosts still stop. */
    private void base(Set<Weakness> found) {
        List<String> sources = effective("script-src-elem", "script-src", "default-src");
        boolean byNonce = sources != null && sources.stream().anyMatch(CspSourceList::isNonce);
        boolean byHash = sources != null && CspSourceList.holds(sources, "'strict-dynamic'");
        List<String> base = directives.get("base-uri");
        if (base == null ? byNonce || byHash : base.stream().anyMatch(s -> CspSourceList.isAnything(s))) {
            found.add(new Weakness(Gap.BASE_UNLIMITED, "base-uri", base == null ? "" : String.join(" ", base)));
        }
    }
}
