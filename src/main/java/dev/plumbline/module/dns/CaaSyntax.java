package dev.plumbline.module.dns;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import dev.plumbline.target.TargetParser;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reports tags, flags, values and parameters of CAA records that CAs reject or ignore. */
final class CaaSyntax {
    /** The properties that each CA must support (RFC 8659 section 4). */
    private static final Set<String> CORE_TAGS = Set.of("issue", "issuewild", "iodef");

    /** The other tags of the IANA registry "Certification Authority Restriction Properties". */
    private static final Set<String> EXTENSION_TAGS = Set.of("issuemail", "issuevmc", "contactemail", "contactphone");

    private static final Pattern METHODS = Pattern.compile("[A-Za-z0-9-]++(?:,[A-Za-z0-9-]++)*+");

    /**
     * The methods of the IANA registry "ACME Validation Methods"; CAs define other ones with the prefix {@code ca-}.
     */
    private static final Predicate<String> KNOWN_METHOD = Pattern.compile(
                    "(?i)http-01|dns-01|dns-account-01|dns-persist-01|tls-alpn-01|tls-sni-0[12]|tkauth-01|email-reply-00"
                            + "|bp-nodeid-00|onion-csr-01|ca-.+")
            .asMatchPredicate();

    private CaaSyntax() {}

    static void evaluate(List<CaaProperty> properties, Caa.Findings findings) {
        reportIfAny(unknownTags(properties, true), findings::unknownCriticalTag);
        reportIfAny(
                properties.stream()
                        .filter(each -> each.critical() && EXTENSION_TAGS.contains(each.tag()))
                        .map(CaaProperty::tag)
                        .distinct()
                        .toList(),
                findings::criticalExtension);
        for (CaaProperty each : properties) {
            if (each.malformed()) {
                findings.malformedIssuer(each.tag(), each.value());
            } else if (each.issuer() != null) {
                evaluateParameters(each.issuer(), findings);
            }
        }
        reportIfAny(
                properties.stream()
                        .filter(each -> each.tag().equals("iodef") && !isReportUrl(each.value()))
                        .map(CaaProperty::value)
                        .toList(),
                findings::invalidIodef);
        reportIfAny(unknownTags(properties, false), findings::unknownTag);
        reportIfAny(
                properties.stream()
                        .filter(each -> (each.flags() & ~CaaProperty.CRITICAL) != 0)
                        .map(each -> each.flags() + " " + each.tag())
                        .distinct()
                        .toList(),
                findings::reservedFlags);
    }

    private static List<String> unknownTags(List<CaaProperty> properties, boolean critical) {
        return properties.stream()
                .filter(each -> each.critical() == critical)
                .map(CaaProperty::tag)
                .filter(tag -> !CORE_TAGS.contains(tag) && !EXTENSION_TAGS.contains(tag))
                .distinct()
                .toList();
    }

    /** RFC 8657 sections 3 and 4. Other parameters are defined by the CA. */
    private static void evaluateParameters(CaaProperty.Issuer issuer, Caa.Findings findings) {
        List<String> accounts = values(issuer, "accounturi");
        if (accounts.size() > 1) {
            findings.unsatisfiableParameter("accounturi", "occurs more than once");
        }
        for (String account : accounts) {
            URI uri = uri(account);
            if (uri == null || !uri.isAbsolute()) {
                findings.unsatisfiableParameter("accounturi=" + account, "is not a URI");
            }
        }
        for (String methods : values(issuer, "validationmethods")) {
            if (!METHODS.matcher(methods).matches()) {
                findings.unsatisfiableParameter(
                        "validationmethods=" + methods, "is not a list of methods that are separated by commas");
            } else {
                Stream<String> names = Stream.of(methods.split(","));
                reportIfAny(names.filter(KNOWN_METHOD.negate()).toList(), findings::unknownValidationMethod);
            }
        }
    }

    private static List<String> values(CaaProperty.Issuer issuer, String parameter) {
        return issuer.parameters().stream()
                .filter(each -> each.tag().equals(parameter))
                .map(CaaProperty.Parameter::value)
                .toList();
    }

    private static @Nullable URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException malformed) {
            return null;
        }
    }

    /** Whether an iodef value is a URL with a scheme of RFC 8659 section 4.4. */
    private static boolean isReportUrl(String value) {
        URI uri = uri(value);
        String scheme =
                uri == null || uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        return switch (scheme) {
            case "http", "https" -> TargetParser.tryUrl(value, "https", "http") != null;
            case "mailto" ->
                Stream.of(value.substring("mailto:".length()).split("\\?", 2)[0].split(",", -1))
                        .allMatch(address -> TargetParser.tryEmail(address) != null);
            default -> false;
        };
    }
}
