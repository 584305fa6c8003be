package dev.plumbline.module.mail.dmarc;

import dev.plumbline.module.mail.record.RecordVersion;
import dev.plumbline.module.mail.record.TagList;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A parsed DMARC record (RFC 9989 section 4.7). A tag that is missing or not valid has its default. */
public final class DmarcRecord {
    /** RFC 9989 section 4.10. */
    static final RecordVersion VERSION = RecordVersion.of(
            "[vV][ \\t]*+=[ \\t]*+DMARC1[ \\t]*+(;.*)?",
            "\\W{0,8}(v\\s{0,8}=\\s{0,8})?dmarc.*|.*;\\s{0,8}v\\s{0,8}=\\s{0,8}dmarc1.*");

    private static final Pattern TAG_NAME = Pattern.compile("[a-z][a-z0-9_]{0,30}");
    private static final Pattern OBSOLETE_SIZE = Pattern.compile("[^!]*+(![0-9]{1,18}[kmgtKMGT]?)");

    /** The policies, from the weakest to the strictest. */
    public enum Policy {
        NONE,
        QUARANTINE,
        REJECT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whether a domain is a public suffix domain: yes, no (it is an organizational domain) or undefined. */
    enum Psd {
        Y,
        N,
        U
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

    /** The tags and sizes that RFC 7489 defines and RFC 9989 removed. */
    final Set<String> obsolete = new LinkedHashSet<>();

    /** The tags that neither RFC 7489 nor RFC 9989 defines. */
    final List<String> unknownTags = new ArrayList<>();

    /** The domains of the valid addresses in rua and ruf. */
    final Set<String> reportDomains = new LinkedHashSet<>();

    /** Those of p, sp and np that are not valid. They invalidate all policies (RFC 9989 section 4.10.1). */
    final List<String> invalidPolicyTags = new ArrayList<>();

    /** The policy that receivers apply to the domain; null if they do not apply DMARC. */
    public final @Nullable Policy policy;

    /** The policy that receivers apply to subdomains. */
    public final @Nullable Policy subdomainPolicy;

    /** The policy that receivers apply to subdomains that do not exist. */
    final @Nullable Policy nonexistentPolicy;

    /** The policy that receivers of RFC 7489 apply to all subdomains: they ignore np. */
    final @Nullable Policy legacySubdomainPolicy;

    final Psd psd;
    final boolean policyFirst;

    /** The percentage of RFC 7489. */
    public final int pct;

    /** Whether t is y. */
    public final boolean testing;

    final Alignment aspf;
    final Alignment adkim;
    final List<String> rua;
    final List<String> ruf;

    /** @param text with the {@linkplain #VERSION version}, or the empty text for a record without tags */
    public DmarcRecord(String text) {
        for (String part : text.split(";")) {
            String tag = part.strip();
            int equals = tag.indexOf('=');
            String name = tag.substring(0, Math.max(equals, 0)).strip().toLowerCase(Locale.ROOT);
            if (TAG_NAME.matcher(name).matches()) {
                if (tags.putIfAbsent(name, tag.substring(equals + 1).strip()) != null) {
                    errors.add("The tag " + name + " occurs more than once.");
                }
            } else if (!tag.isEmpty()) {
                errors.add("The part " + TagList.quote(tag) + " is not a tag of the form name=value.");
            }
        }
        for (String name : tags.keySet()) {
            switch (name) {
                case "v", "p", "sp", "np", "psd", "t", "aspf", "adkim", "rua", "ruf" -> {}
                case "fo" -> validateFailureOptions();
                case "pct", "rf", "ri" -> obsolete.add(name);
                default -> unknownTags.add(name);
            }
        }
        rua = addresses("rua");
        boolean reportable = !reportDomains.isEmpty();
        ruf = addresses("ruf");
        Policy p = policy("p");
        Policy sp = policy("sp");
        boolean legacyValid = p != null && invalidPolicyTags.isEmpty();
        Policy np = policy("np");
        Policy fallback = reportable ? Policy.NONE : null;
        policy = p != null && invalidPolicyTags.isEmpty() ? p : fallback;
        subdomainPolicy = sp == null || !invalidPolicyTags.isEmpty() || p == null ? policy : sp;
        nonexistentPolicy = np == null || !invalidPolicyTags.isEmpty() || p == null ? subdomainPolicy : np;
        Policy legacyPolicy = legacyValid ? p : fallback;
        legacySubdomainPolicy = legacyValid && sp != null ? sp : legacyPolicy;
        policyFirst = List.copyOf(tags.keySet()).indexOf("p") == 1;
        String valueOfPsd = valid("psd", "(?i)[ynu]", "y, n or u");
        psd = valueOfPsd == null ? Psd.U : Psd.valueOf(valueOfPsd.toUpperCase(Locale.ROOT));
        String percentage = tags.get("pct");
        pct = percentage != null && percentage.matches("[0-9]{1,2}|0[0-9]{2}|100") ? Integer.parseInt(percentage) : 100;
        testing = "y".equalsIgnoreCase(valid("t", "(?i)[yn]", "y or n"));
        aspf = alignment("aspf");
        adkim = alignment("adkim");
    }

    /** The value of a tag, null if it is missing or does not match. */
    private @Nullable String valid(String name, String pattern, String expected) {
        String value = tags.get(name);
        if (value == null || value.matches(pattern)) {
            return value;
        }
        reject(name, expected);
        return null;
    }

    private void reject(String name, String expected) {
        errors.add("The value of " + name + " is " + TagList.quote(tags.getOrDefault(name, "")) + ", but must be "
                + expected + ".");
    }

    /** Whether the record has a tag, valid or not. */
    boolean has(String name) {
        return tags.containsKey(name);
    }

    /** Each value at most once, and not both 0 and 1 (RFC 9989 section 4.8). */
    private void validateFailureOptions() {
        Set<String> values = new LinkedHashSet<>();
        boolean valid = true;
        for (String part : tags.getOrDefault("fo", "").split(":", -1)) {
            String value = part.strip().toLowerCase(Locale.ROOT);
            valid &= value.matches("[01ds]") && values.add(value);
        }
        if (!valid || values.contains("0") && values.contains("1")) {
            reject("fo", "a list of d, s and either 0 or 1");
        }
    }

    private @Nullable Policy policy(String name) {
        String value = valid(name, "(?i)none|quarantine|reject", "none, quarantine or reject");
        if (value == null && tags.containsKey(name)) {
            invalidPolicyTags.add(name);
        }
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
            Matcher size = OBSOLETE_SIZE.matcher(uri);
            if (size.matches()) {
                obsolete.add(size.group(1));
            }
            try {
                reportDomains.add(domain(uri));
            } catch (InvalidTargetException invalid) {
                errors.add("The value " + TagList.quote(uri) + " in " + name
                        + " is not a report address such as mailto:dmarc@example.com.");
            }
        }
        return uris;
    }

    /** The domain of {@code mailto:a@example.com!10m}; the size limit is obsolete (RFC 9989 section 4.8). */
    private static String domain(String uri) throws InvalidTargetException {
        int size = uri.indexOf('!');
        boolean valid = uri.regionMatches(true, 0, "mailto:", 0, 7)
                && (size < 0 || OBSOLETE_SIZE.matcher(uri).matches());
        String address = valid ? uri.substring(7, size < 0 ? uri.length() : size) : "";
        int query = address.indexOf('?');
        return TargetParser.email(query < 0 ? address : address.substring(0, query))
                .domain();
    }
}
