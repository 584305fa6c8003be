package dev.plumbline.target;

import com.google.common.base.CharMatcher;
import com.google.common.base.Utf8;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses user input into a {@link Target}. The rules of the module supply omitted parts. Hosts are parsed as in the
 * WHATWG URL Standard, so unusual forms of an address are normalized.
 */
public final class TargetParser {
    /** The maximum length of a target in UTF-8 bytes, before and after normalization. */
    public static final int MAX_BYTES = 2048;

    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");

    private TargetParser() {}

    /** Whether {@link #parse} accepts the text. */
    public static boolean accepts(TargetRules rules, String raw) {
        try {
            parse(rules, raw);
            return true;
        } catch (InvalidTargetException invalid) {
            return false;
        }
    }

    /**
     * Parses and normalizes a target.
     *
     * @throws InvalidTargetException if the text is not a valid target
     */
    public static Target parse(TargetRules rules, String raw) throws InvalidTargetException {
        String text = cleaned(raw);
        if (rules.input() != InputType.EMAIL) {
            rejectEmail(text, rules.input());
        }
        Target target =
                switch (rules.input()) {
                    case URL -> url(text, rules.schemes());
                    case HOST_PORT -> hostPort(text, rules.defaultPort(), rules.omittedPort());
                    case DOMAIN -> domain(text);
                    case HOST -> new Target.AnyHost(withoutPort(text, host(text), "a host"));
                    case IP -> ip(text);
                    case EMAIL -> address(text);
                };
        return withinLimit(target);
    }

    /** Rejects an e-mail address, but not a URL with a user name and password. */
    private static void rejectEmail(String text, InputType input) throws InvalidTargetException {
        int at = text.lastIndexOf('@');
        boolean credentials = !text.startsWith("mailto:") && text.lastIndexOf(':', at) >= 0;
        if (at <= 0 || credentials || UrlAuthority.looksLikeUrl(text)) {
            return;
        }
        String expected =
                switch (input) {
                    case URL -> "a URL";
                    case HOST_PORT -> "a host and port";
                    case IP -> "an IP address";
                    case HOST -> "a host";
                    default -> "a domain";
                };
        throw new InvalidTargetException(
                "The target must be " + expected + ", not an e-mail address. Use the part after"
                        + " the @, or check the address with the module email-address.");
    }

    /** The type of target that a text resembles most: a URL, e-mail address, IP address, host with port, or domain. */
    public static InputType typeOf(String raw) {
        String text = raw.strip();
        if (UrlAuthority.looksLikeUrl(text)) {
            return InputType.URL;
        }
        if (text.indexOf('@') >= 0) {
            return InputType.EMAIL;
        }
        try {
            ip(text);
            return InputType.IP;
        } catch (InvalidTargetException notAnAddress) {
            return PORT.matcher(text.substring(text.lastIndexOf(':') + 1)).matches() && text.indexOf(':') >= 0
                    ? InputType.HOST_PORT
                    : InputType.DOMAIN;
        }
    }

    /**
     * Parses and normalizes a URL that is not the target of a check, such as a redirect.
     *
     * @param schemes the allowed schemes, the default first
     * @throws InvalidTargetException if the text is not a valid URL
     */
    public static Target.Url url(String raw, String... schemes) throws InvalidTargetException {
        return withinLimit(url(cleaned(raw), List.of(schemes)));
    }

    /** As {@link #url}, but returns null if the text is not a valid URL. */
    public static Target.@Nullable Url tryUrl(String raw, String... schemes) {
        try {
            return url(raw, schemes);
        } catch (InvalidTargetException invalid) {
            return null;
        }
    }

    /** Parses and normalizes a host with an optional port, as {@link #url} does with URLs. */
    public static Target.HostPort endpoint(String raw, int defaultPort) throws InvalidTargetException {
        return withinLimit(hostPort(cleaned(raw), defaultPort, defaultPort));
    }

    /** Parses and normalizes a domain name, as {@link #url} does with URLs. */
    public static Target.Domain domainName(String raw) throws InvalidTargetException {
        return withinLimit(domain(cleaned(raw)));
    }

    private static <T extends Target> T withinLimit(T target) throws InvalidTargetException {
        if (Utf8.encodedLength(target.text()) > MAX_BYTES) {
            throw new InvalidTargetException("The normalized target has more than 2,048 bytes.");
        }
        return target;
    }

    private static String cleaned(String raw) throws InvalidTargetException {
        String text = raw.strip();
        if (text.isEmpty()) {
            throw new InvalidTargetException("The target is empty.");
        }
        if (CharMatcher.javaIsoControl().matchesAnyOf(text)) {
            throw new InvalidTargetException("The target must not contain control characters.");
        }
        try {
            if (Utf8.encodedLength(text) > MAX_BYTES) {
                throw new InvalidTargetException("The target has more than 2,048 bytes.");
            }
            return text;
        } catch (IllegalArgumentException unpairedSurrogate) {
            throw new InvalidTargetException("The target is not valid Unicode.");
        }
    }

    private static Target.Url url(String text, List<String> schemes) throws InvalidTargetException {
        UrlAuthority parts = UrlAuthority.parse(text, false);
        String scheme = parts.scheme() == null ? schemes.get(0) : parts.scheme();
        if (!schemes.contains(scheme)) {
            throw new InvalidTargetException("URL scheme %s is not supported. Supported schemes: %s."
                    .formatted(HostParser.excerpt(scheme), String.join(", ", schemes)));
        }
        int port = parts.port() == 0 ? Target.Url.defaultPort(scheme) : parts.port();
        return new Target.Url(scheme, parts.host(), port, UrlSerializer.pathAndQuery(parts.rest()));
    }

    private static Target.HostPort hostPort(String text, int defaultPort, int omittedPort)
            throws InvalidTargetException {
        boolean bareV6 = isBareV6(text);
        UrlAuthority parts = bareV6 ? new UrlAuthority(null, bareV6(text), 0, "") : UrlAuthority.parse(text, false);
        int port = parts.port();
        if (port == 0 && bareV6 && defaultPort == 0) {
            throw new InvalidTargetException(
                    "The target requires a port. Enclose the IPv6 address in brackets: " + bracketed(text) + ".");
        }
        if (port == 0) {
            port = defaultPort != 0 ? defaultPort : schemePort(parts.scheme());
        }
        return new Target.HostPort(parts.host(), port, port == omittedPort);
    }

    private static Host bareV6(String text) throws InvalidTargetException {
        if (IpAddressText.parse(text) == null && endsInPort(text)) {
            throw new InvalidTargetException(
                    "An IPv6 address before a port must be enclosed in brackets: " + bracketed(text) + ".");
        }
        return HostParser.parse(text, false);
    }

    /** Returns the probable meaning of an IPv6 address without brackets where a port is required. */
    private static String bracketed(String text) {
        int colon = text.lastIndexOf(':');
        return endsInPort(text)
                ? "[" + text.substring(0, colon) + "]:" + text.substring(colon + 1)
                : "[" + text + "]:80";
    }

    private static boolean endsInPort(String text) {
        int colon = text.lastIndexOf(':');
        return PORT.matcher(text.substring(colon + 1)).matches()
                && IpAddressText.parse(text.substring(0, colon)) != null;
    }

    private static int schemePort(@Nullable String scheme) throws InvalidTargetException {
        int port = scheme == null ? 0 : Target.Url.defaultPort(scheme);
        if (port == 0) {
            throw new InvalidTargetException("The target requires a port. Use the form host:port.");
        }
        return port;
    }

    private static Target.Domain domain(String text) throws InvalidTargetException {
        Host host = host(text);
        if (host.literal() != null) {
            throw new InvalidTargetException("The target must be a domain name, not an IP address.");
        }
        return new Target.Domain(withoutPort(text, host, "a domain").name());
    }

    /** Parses the host of a target with an optional port. */
    private static Host host(String text) throws InvalidTargetException {
        return UrlAuthority.looksLikeUrl(text) || hasPort(text)
                ? UrlAuthority.parse(text, true).host()
                : HostParser.parse(text, true);
    }

    /** Returns the host. Rejects a port, except in a URL. */
    private static Host withoutPort(String text, Host host, String expected) throws InvalidTargetException {
        if (!UrlAuthority.looksLikeUrl(text) && hasPort(text)) {
            throw new InvalidTargetException(
                    "The target must be " + expected + " without a port. Use " + host.name() + ".");
        }
        return host;
    }

    private static boolean hasPort(String text) {
        return text.startsWith("[")
                ? text.indexOf(']') > 0 && !text.endsWith("]")
                : text.indexOf(':') >= 0 && !isBareV6(text);
    }

    private static Target.AnyHost ip(String text) throws InvalidTargetException {
        boolean url = UrlAuthority.looksLikeUrl(text);
        Host host = url ? null : host(text);
        if (host == null || host.literal() == null) {
            throw new InvalidTargetException("The target must be an IPv4 or IPv6 address.");
        }
        return new Target.AnyHost(withoutPort(text, host, "an IP address"));
    }

    /**
     * Parses an e-mail address that is not the target of a check, such as that of an account.
     *
     * @throws InvalidTargetException if the text is not a valid e-mail address
     */
    public static Target.Email email(String raw) throws InvalidTargetException {
        if (raw.isBlank()) {
            throw new InvalidTargetException("The e-mail address has no @.");
        }
        Target.Email email = address(cleaned(raw));
        EmailLocalPart.Fault fault = EmailLocalPart.fault(email.local());
        if (fault != null) {
            throw new InvalidTargetException(
                    fault == EmailLocalPart.Fault.TOO_LONG
                            ? "The local part (before the @) has more than 64 bytes."
                            : "The local part (before the @) is not valid.");
        }
        if (email.text().length() > Target.Email.MAX_LENGTH) {
            throw new InvalidTargetException("The e-mail address has more than 254 characters.");
        }
        return email;
    }

    /** As {@link #email}, but returns null if the text is not a valid e-mail address. */
    public static Target.@Nullable Email tryEmail(String raw) {
        try {
            return email(raw);
        } catch (InvalidTargetException invalid) {
            return null;
        }
    }

    /**
     * Parses an e-mail address with any local part, because checks evaluate its syntax. The domain must be a hostname,
     * not an address literal.
     */
    private static Target.Email address(String text) throws InvalidTargetException {
        int at = text.lastIndexOf('@');
        if (at < 0) {
            throw new InvalidTargetException("The e-mail address has no @.");
        }
        String domain = text.substring(at + 1);
        if (domain.endsWith(">")) {
            throw new InvalidTargetException(
                    "Enter the e-mail address without a name and without angle brackets, such as user@example.com.");
        }
        if (domain.endsWith(")") || domain.startsWith("(")) {
            throw new InvalidTargetException("Comments in e-mail addresses are not supported. Remove the parentheses.");
        }
        if (domain.startsWith("[")) {
            throw new InvalidTargetException("The part after the @ must be a domain name, not an IP address.");
        }
        Host host = HostParser.parse(domain, false);
        if (host.literal() != null) {
            throw new InvalidTargetException("The part after the @ must be a domain name, not an IP address.");
        }
        return new Target.Email(text.substring(0, at), host.name());
    }

    private static boolean isBareV6(String text) {
        int colon = text.indexOf(':');
        return colon >= 0 && text.indexOf(':', colon + 1) >= 0 && !text.startsWith("[") && text.indexOf('/') < 0;
    }
}
