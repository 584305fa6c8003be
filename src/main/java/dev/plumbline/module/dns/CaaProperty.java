package dev.plumbline.module.dns;

import com.google.common.base.CharMatcher;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.CAARecord;

/**
 * A CAA record (RFC 8659 section 4).
 *
 * @param tag in lower case
 * @param value each byte is one ISO-8859-1 character
 * @param issuer the parsed value of a property that authorizes a CA; null for other properties and for malformed values
 */
record CaaProperty(int flags, String tag, String value, @Nullable Issuer issuer) {
    /** The flag that forbids issuance by CAs that do not support the property. */
    static final int CRITICAL = 128;

    /** The properties whose value is an issuer: RFC 8659, RFC 9495, and the requirements for mark certificates. */
    private static final List<String> ISSUER_TAGS = List.of("issue", "issuewild", "issuemail", "issuevmc");

    private static final Predicate<String> LABEL =
            Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9-]*+(?<!-))?+").asMatchPredicate();
    private static final Pattern VALUE = Pattern.compile("[\\x21-\\x3a\\x3c-\\x7e]*+");

    /** Spaces and tabs (RFC 5234). */
    private static final CharMatcher WSP = CharMatcher.anyOf(" \t");

    /**
     * An issuer and its parameters.
     *
     * @param domain in lower case; empty if the property authorizes no CA
     */
    record Issuer(String domain, List<Parameter> parameters) {}

    /** @param tag in lower case */
    record Parameter(String tag, String value) {}

    static CaaProperty of(CAARecord caa) {
        String tag = caa.getTag().toLowerCase(Locale.ROOT);
        String value = new String(caa.getValueAsByteArray(), StandardCharsets.ISO_8859_1);
        return new CaaProperty(caa.getFlags(), tag, value, ISSUER_TAGS.contains(tag) ? issuer(value) : null);
    }

    boolean critical() {
        return (flags & CRITICAL) != 0;
    }

    /** Whether the value must name an issuer but does not follow the grammar. It then authorizes no CA. */
    boolean malformed() {
        return ISSUER_TAGS.contains(tag) && issuer == null;
    }

    /** Parses an issue value (RFC 8659 section 4.2); null if it does not follow the grammar. */
    static @Nullable Issuer issuer(String value) {
        int end = value.indexOf(';');
        String domain = WSP.trimFrom(end < 0 ? value : value.substring(0, end)).toLowerCase(Locale.ROOT);
        if (!domain.isEmpty() && !Stream.of(domain.split("\\.", -1)).allMatch(LABEL)) {
            return null;
        }
        String rest = end < 0 ? "" : WSP.trimFrom(value.substring(end + 1));
        List<Parameter> parameters = new ArrayList<>();
        if (!rest.isEmpty()) {
            for (String each : rest.split(";", -1)) {
                int equals = each.indexOf('=');
                String tag = equals < 0 ? "" : WSP.trimFrom(each.substring(0, equals));
                String parameter = WSP.trimFrom(each.substring(equals + 1));
                if (!LABEL.test(tag) || !VALUE.matcher(parameter).matches()) {
                    return null;
                }
                parameters.add(new Parameter(tag.toLowerCase(Locale.ROOT), parameter));
            }
        }
        return new Issuer(domain, List.copyOf(parameters));
    }
}
