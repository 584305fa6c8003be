package dev.plumbline.module.mail;

import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.TargetParser;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parsed DMARC record (RFC 7489 section 6.3; np, psd and t by RFC 9989 section 4.7). A tag that is missing or not
 * valid has its default.
 */
final class DmarcRecord {
    private static final Pattern VERSION = Pattern.compile("[vV][ \\t]*+=[ \\t]*+DMARC1[ \\t]*+(;.*)?", Pattern.DOTALL);
    private static final Pattern SIMILAR_START = Pattern.compile("(?is)\\W{0,8}(v\\s{0,8}=\\s{0,8})?dmarc.*");
    private static final Pattern LATER_VERSION = Pattern.compile("(?i);\\s{0,8}v\\s{0,8}=\\s{0,8}dmarc1");
    private static final Pattern SIZE = Pattern.compile(".*![0-9]{1,18}[kmgtKMGT]?");
    private static final int MAX_QUOTED = 60;

    /** The policies, from the weakest to the strictest. */
    enum Policy {
        NONE,
        QUARANTINE,
        REJECT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The alignment modes: relaxed and strict. */
    enum Alignment {
        R,
        S
    }

    /** The values of the tags by name in lower case, in order; the first of equal names. */
    private final Map<String, String> tags = new LinkedHashMap<>();

    /** The syntax errors, each a sentence. */
    final List<String> errors = new ArrayList<>();

    /** The tags that neither RFC 7489 nor RFC 9989 defines. */
    final List<String> unknownTags = new ArrayList<>();

    /** The domains of the valid addresses in rua and ruf. */
    final Set<String> reportDomains = new LinkedHashSet<>();

    final @Nullable Policy policy;

    /** The tag sp, or p if sp is missing or not valid. */
    final @Nullable Policy subdomainPolicy;

    final boolean policyFirst;
    final int pct;

    /** Whether t is y (RFC 9989 section 4.7). */
    final boolean testing;

    final Alignment aspf;
    final Alignment adkim;
    final List<String> rua;
    final List<String> ruf;

    /** @param text {@linkplain #hasVersion with the version}, or the empty text for a record without tags */
    DmarcRecord(String text) {
        for (String part : text.split(";")) {
            String tag = part.strip();
            int equals = tag.indexOf('=');
            String name = tag.substring(0, Math.max(equals, 0)).strip().toLowerCase(Locale.ROOT);
            if (name.matches("[a-z][a-z0-9_]{0,30}")) {
                if (tags.putIfAbsent(name, tag.substring(equals + 1).strip()) != null) {
                    errors.add("The tag " + name + " occurs more than once.");
                }
            } else if (!tag.isEmpty()) {
                errors.add("The part " + quote(tag) + " is not a tag of the form name=value.");
            }
        }
        for (String name : tags.keySet()) {
            switch (name) {
                case "v", "p", "sp", "pct", "aspf", "adkim", "rua", "ruf", "t" -> {}
                case "np" -> policy(name);
                case "psd" -> valid(name, "(?i)[ynu]", "y, n or u");
                case "fo" -> valid(name, "[01dsDS]([ \\t]*:[ \\t]*[01dsDS]){0,9}", "a list of 0, 1, d and s");
                case "rf" -> valid(name, "[A-Za-z0-9-]{1,63}(:[A-Za-z0-9-]{1,63}){0,9}", "a list of formats");
                case "ri" -> valid(name, "[0-9]{1,10}", "an integer");
                default -> unknownTags.add(name);
            }
        }
        policy = policy("p");
        Policy sp = policy("sp");
        subdomainPolicy = sp == null ? policy : sp;
        policyFirst = List.copyOf(tags.keySet()).indexOf("p") == 1;
        String percentage = valid("pct", "[0-9]{1,2}|0[0-9]{2}|100", "an integer from 0 to 100");
        pct = percentage == null ? 100 : Integer.parseInt(percentage);
        testing = "y".equalsIgnoreCase(valid("t", "(?i)[yn]", "y or n"));
        aspf = alignment("aspf");
        adkim = alignment("adkim");
        rua = addresses("rua");
        ruf = addresses("ruf");
    }

    /** Whether a text starts with the version of a DMARC record (RFC 7489 section 6.6.3). */
    static boolean hasVersion(String text) {
        return VERSION.matcher(text).matches();
    }

    /** Whether a text resembles a DMARC record but does not start with its version. */
    static boolean resembles(String text) {
        boolean similar = SIMILAR_START.matcher(text).matches()
                || LATER_VERSION.matcher(text).find();
        return similar && !hasVersion(text);
    }

    /** The value of a tag, null if it is missing or does not match. */
    private @Nullable String valid(String name, String pattern, String expected) {
        String value = tags.get(name);
        if (value == null || value.matches(pattern)) {
            return value;
        }
        errors.add("The value of " + name + " is " + quote(value) + ", but must be " + expected + ".");
        return null;
    }

    private @Nullable Policy policy(String name) {
        String value = valid(name, "(?i)none|quarantine|reject", "none, quarantine or reject");
        return value == null ? null : Policy.valueOf(value.toUpperCase(Locale.ROOT));
    }

    private Alignment alignment(String name) {
        return "s".equalsIgnoreCase(valid(name, "(?i)[rs]", "r or s")) ? Alignment.S : Alignment.R;
    }

    private List<String> addresses(String name) {
        List<String> uris = new ArrayList<>();
        String value = tags.get(name);
        for (String part : value == null ? new String[0] : value.split(",")) {
            String uri = part.strip();
            uris.add(uri);
            try {
                reportDomains.add(domain(uri));
            } catch (InvalidTargetException invalid) {
                errors.add("The value " + quote(uri) + " in " + name
                        + " is not a report address such as mailto:dmarc@example.com.");
            }
        }
        return uris;
    }

    /** The domain of {@code mailto:a@example.com!10m}; the size limit is optional (RFC 7489 section 6.2). */
    private static String domain(String uri) throws InvalidTargetException {
        int size = uri.lastIndexOf('!');
        boolean valid = uri.regionMatches(true, 0, "mailto:", 0, 7)
                && (size < 0 || SIZE.matcher(uri).matches());
        String address = valid ? uri.substring(7, size < 0 ? uri.length() : size) : "";
        int query = address.indexOf('?');
        return TargetParser.email(query < 0 ? address : address.substring(0, query))
                .domain();
    }

    private static String quote(String text) {
        return '"' + (text.length() <= MAX_QUOTED ? text : text.substring(0, MAX_QUOTED) + "…") + '"';
    }
}
