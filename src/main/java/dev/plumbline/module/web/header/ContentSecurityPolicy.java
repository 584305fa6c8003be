package dev.plumbline.module.web.header;

import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Content-Security-Policy, parsed as browsers do (CSP Level 3 section 2.2.1).
 *
 * @param directives by lower-case name, in order; of a repeated directive, the first
 * @param errors what browsers ignore, as noun phrases
 */
public record ContentSecurityPolicy(Map<String, List<String>> directives, List<String> errors) {

    /**
     * The finding codes of weaknesses. The order matters: the first implies those up to short_nonce, any_source those
     * up to plain_http_source.
     */
    public enum Code {
        CSP_SCRIPTS_UNLIMITED,
        CSP_INLINE_SCRIPTS,
        CSP_ANY_SOURCE,
        CSP_SHARED_HOST,
        CSP_BYPASS_HOST,
        CSP_PLAIN_HTTP_SOURCE,
        CSP_EVAL,
        CSP_SHORT_NONCE,
        CSP_OBJECTS_UNLIMITED,
        CSP_BASE_UNLIMITED,
        CSP_FORMS_UNLIMITED,
        CSP_INLINE_STYLES
    }

    /**
     * Something that a policy does not block.
     *
     * @param directive the directive that is weak or not set
     * @param value the weak value, empty if the directive is not set
     */
    public record Weakness(Code code, String directive, String value) {}

    static final int MAX_POLICIES = 50;
    private static final int MAX_SOURCES = 500;

    /** Replaces each nonce in reports. */
    private static final String NONCE = "'nonce-…'";

    /** The directives that apply to script elements; the first one that is set (CSP Level 3 section 6.8.4). */
    private static final List<String> SCRIPT_ELEMENTS = List.of("script-src-elem", "script-src", "default-src");

    /** The directives that apply to event handlers such as {@code onclick}. */
    private static final List<String> EVENT_HANDLERS = List.of("script-src-attr", "script-src", "default-src");

    /** The directives that apply to eval() and new Function() (CSP Level 3 section 4.4.1). */
    private static final List<String> EVAL = List.of("script-src", "default-src");

    private static final Pattern UNQUOTED_KEYWORD =
            Pattern.compile("self|none|unsafe-inline|unsafe-eval|strict-dynamic|unsafe-hashes|wasm-unsafe-eval"
                    + "|(nonce|sha256|sha384|sha512)-.++");

    private static final Set<String> KEYWORDS = Set.of(
            """
            'self' 'none' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' 'trusted-types-eval' 'strict-dynamic'
            'unsafe-hashes' 'report-sample' 'inline-speculation-rules' 'report-sha256' 'report-sha384'
            'report-sha512'"""
                    .split("\\s+"));

    private static final Set<String> SOURCE_LISTS = Set.of(
            """
            default-src script-src script-src-elem script-src-attr style-src style-src-elem style-src-attr img-src
            font-src connect-src media-src object-src frame-src child-src worker-src manifest-src fenced-frame-src
            prefetch-src base-uri form-action frame-ancestors navigate-to"""
                    .split("\\s+"));

    private static final Set<String> OTHER_DIRECTIVES = Set.of(
            """
            sandbox report-uri report-to upgrade-insecure-requests block-all-mixed-content require-trusted-types-for
            trusted-types plugin-types require-sri-for webrtc"""
                    .split("\\s+"));

    /** The first {@value #MAX_POLICIES} policies of these headers. Commas separate policies. */
    public static List<ContentSecurityPolicy> parseAll(List<String> headers) {
        Stream<String> texts = headers.stream().flatMap(header -> Stream.of(header.split(",", -1)));
        return texts.filter(text -> !text.isBlank())
                .limit(MAX_POLICIES)
                .map(ContentSecurityPolicy::parse)
                .toList();
    }

    static ContentSecurityPolicy parse(String text) {
        Map<String, List<String>> directives = new LinkedHashMap<>();
        Set<String> errors = new LinkedHashSet<>();
        for (String part : text.split(";", -1)) {
            if (part.isBlank()) {
                continue;
            }
            String[] words = part.strip().split("[ \\t\\n\\f\\r]+");
            String name = words[0].toLowerCase(Locale.ROOT);
            List<String> values = List.copyOf(List.of(words).subList(1, Math.min(words.length, MAX_SOURCES + 1)));
            if (directives.putIfAbsent(name, values) != null) {
                errors.add("the repeated directive " + name);
            } else if (SOURCE_LISTS.contains(name)) {
                sourceErrors(name, values, errors);
            } else if (!OTHER_DIRECTIVES.contains(name)) {
                errors.add("the unknown directive " + name);
            }
        }
        return new ContentSecurityPolicy(Collections.unmodifiableMap(directives), List.copyOf(errors));
    }

    private static void sourceErrors(String name, List<String> values, Set<String> errors) {
        for (String value : values) {
            String lower = value.toLowerCase(Locale.ROOT);
            boolean quoted = value.startsWith("'");
            if (SOURCE_LISTS.contains(lower) || OTHER_DIRECTIVES.contains(lower)) {
                errors.add("no semicolon before " + lower + " in " + name);
            } else if (UNQUOTED_KEYWORD.matcher(lower).matches()) {
                errors.add("no quotes around " + value + " in " + name);
            } else if (quoted && !KEYWORDS.contains(lower) && !CspSourceList.isNonceOrHash(value)) {
                errors.add("the unknown keyword " + value + " in " + name);
            } else if (lower.equals("'none'") && values.size() > 1) {
                errors.add("'none' together with other sources in " + name);
            } else if (!quoted && CspSourceList.isIgnoredAddress(lower)) {
                errors.add("the unsupported IP address " + value + " in " + name);
            }
        }
        if (CspSourceList.contains(values, "'strict-dynamic'")
                && values.stream().noneMatch(CspSourceList::isNonceOrHash)) {
            errors.add("'strict-dynamic' without a nonce or hash in " + name + " (it blocks all scripts)");
        }
    }

    /** Whether it restricts which sites can show the page in a frame. */
    public boolean restrictsFraming() {
        return directives.containsKey("frame-ancestors")
                && values("frame-ancestors").stream().noneMatch(CspSourceList::isAnything);
    }

    /** The weaknesses that all of the policies have, because a browser enforces every policy. */
    public static List<Weakness> weaknesses(List<ContentSecurityPolicy> policies) {
        Set<Weakness> weaknesses = new LinkedHashSet<>();
        Set<Code> common = EnumSet.allOf(Code.class);
        for (ContentSecurityPolicy policy : policies) {
            Set<Code> codes = EnumSet.noneOf(Code.class);
            for (Weakness weakness : policy.weaknesses()) {
                weaknesses.add(weakness);
                codes.add(weakness.code());
            }
            if (codes.contains(Code.CSP_SCRIPTS_UNLIMITED)) {
                codes.addAll(EnumSet.range(Code.CSP_SCRIPTS_UNLIMITED, Code.CSP_SHORT_NONCE));
            }
            if (codes.contains(Code.CSP_ANY_SOURCE)) {
                codes.addAll(EnumSet.range(Code.CSP_ANY_SOURCE, Code.CSP_PLAIN_HTTP_SOURCE));
            }
            common.retainAll(codes);
        }
        // one policy can block script elements, and another one event handlers
        if (!policies.stream().allMatch(policy -> policy.allowsInline(SCRIPT_ELEMENTS))
                && !policies.stream().allMatch(policy -> policy.allowsInline(EVENT_HANDLERS))) {
            common.remove(Code.CSP_INLINE_SCRIPTS);
        }
        weaknesses.removeIf(weakness -> !common.contains(weakness.code()));
        return List.copyOf(weaknesses);
    }

    public List<Weakness> weaknesses() {
        Set<Weakness> weaknesses = new LinkedHashSet<>();
        if (allowsScripts()) {
            String scripts = first(SCRIPT_ELEMENTS);
            if (scripts == null) {
                weaknesses.add(new Weakness(Code.CSP_SCRIPTS_UNLIMITED, "script-src", ""));
            } else {
                inlineScripts(SCRIPT_ELEMENTS, weaknesses);
                inlineScripts(EVENT_HANDLERS, weaknesses);
                if (allowsEval()) {
                    weaknesses.add(weakness(Code.CSP_EVAL, first(EVAL), "script-src", "'unsafe-eval'"));
                }
                scriptSources(scripts, weaknesses);
            }
            String objects = first(List.of("object-src", "default-src"));
            if (objects == null) {
                weaknesses.add(new Weakness(Code.CSP_OBJECTS_UNLIMITED, "object-src", ""));
            } else {
                values(objects).stream()
                        .filter(source -> CspSourceList.isAnything(source) || source.equalsIgnoreCase("data:"))
                        .forEach(source -> weaknesses.add(new Weakness(Code.CSP_OBJECTS_UNLIMITED, objects, source)));
            }
            if (allowsBase(values(scripts))) {
                weaknesses.add(new Weakness(Code.CSP_BASE_UNLIMITED, "base-uri", String.join(" ", values("base-uri"))));
            }
        }
        if (!directives.containsKey("form-action")) {
            weaknesses.add(new Weakness(Code.CSP_FORMS_UNLIMITED, "form-action", ""));
        }
        String styles = first(List.of("style-src-elem", "style-src", "default-src"));
        if (styles == null || CspSourceList.allowsInline(values(styles))) {
            weaknesses.add(weakness(Code.CSP_INLINE_STYLES, styles, "style-src", "'unsafe-inline'"));
        }
        return List.copyOf(weaknesses);
    }

    /** A weak value of a directive, or the absence of all directives that apply. */
    private static Weakness weakness(Code code, @Nullable String directive, String absent, String value) {
        return directive == null ? new Weakness(code, absent, "") : new Weakness(code, directive, value);
    }

    private boolean allowsScripts() {
        List<String> sandbox = directives.get("sandbox");
        return sandbox == null || CspSourceList.contains(sandbox, "allow-scripts");
    }

    private boolean allowsInline(List<String> fallback) {
        String directive = first(fallback);
        return allowsScripts() && (directive == null || CspSourceList.allowsInlineScripts(values(directive)));
    }

    private boolean allowsEval() {
        String directive = first(EVAL);
        return directive == null || CspSourceList.contains(values(directive), "'unsafe-eval'");
    }

    /** The name of the first of these directives that is set, null if none is. */
    private @Nullable String first(List<String> names) {
        return names.stream().filter(directives::containsKey).findFirst().orElse(null);
    }

    /** The values of a directive, none if it is not set. */
    public List<String> values(@Nullable String name) {
        return name == null ? List.of() : directives.getOrDefault(name, List.of());
    }

    private void inlineScripts(List<String> fallback, Set<Weakness> weaknesses) {
        if (allowsInline(fallback)) {
            weaknesses.add(weakness(Code.CSP_INLINE_SCRIPTS, first(fallback), "script-src", "'unsafe-inline'"));
        }
    }

    /** The value of a directive, without the nonce, which is different in each response. */
    public static String withoutNonce(String value) {
        return CspSourceList.isNonce(value) ? NONCE : value;
    }

    private void scriptSources(String name, Set<Weakness> weaknesses) {
        List<String> sources = values(name);
        if (sources.stream().anyMatch(CspSourceList::isShortNonce)) {
            weaknesses.add(new Weakness(Code.CSP_SHORT_NONCE, name, NONCE));
        }
        boolean hostsIgnored = CspSourceList.contains(sources, "'strict-dynamic'");
        boolean evalAllowed = allowsEval();
        for (String source : sources) {
            Code code = hostsIgnored ? null : CspSourceList.weakness(source, evalAllowed);
            if (code != null) {
                weaknesses.add(new Weakness(code, name, source));
            }
        }
    }

    /** Whether a base element can redirect relative URLs of scripts with a nonce or 'strict-dynamic'. */
    private boolean allowsBase(List<String> scripts) {
        return directives.containsKey("base-uri")
                ? values("base-uri").stream().anyMatch(CspSourceList::isAnything)
                : scripts.stream().anyMatch(CspSourceList::isNonce)
                        || CspSourceList.contains(scripts, "'strict-dynamic'");
    }
}
