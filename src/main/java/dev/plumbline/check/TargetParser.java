package dev.plumbline.check;

import com.google.common.base.Utf8;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns what people type into a {@link Target}. What is given wins, the module's description fills
 * in the rest; a host is read as a browser would read it (WHATWG URL Standard), so that an odd
 * spelling of an address becomes the address that it means.
 */
public final class TargetParser {
    /** The longest target, in bytes of UTF-8, as it is given and as it is normalised. */
    public static final int MAX_BYTES = 2048;

    private static final Pattern DOT_ATOM = Pattern.compile(
            "[\\p{L}\\p{N}\\p{M}!#$%&'*+/=?^_`{|}~-]++(?:\\.[\\p{L}\\p{N}\\p{M}!#$%&'*+/=?^_`{|}~-]++)*+");
    private static final Pattern QUOTED =
            Pattern.compile("\"(?:[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*+\"");

    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");

    private TargetParser() {}

    /**
     * Reads and normalises a target for a module.
     *
     * @throws InvalidTargetException when it is none, with the reason
     */
    public static Target parse(ModuleDescription module, String raw) throws InvalidTargetException {
        String text = cleaned(raw);
        Target target =
                switch (module.input()) {
                    case URL -> url(module, text);
                    case HOST_PORT -> hostPort(module, text);
                    case DOMAIN -> domain(text);
                    case HOST -> new Target.AnyHost(withoutPort(text, host(text), "a host"));
                    case IP -> ip(text);
                    case EMAIL -> cleanEmail(text);
                };
        if (Utf8.encodedLength(target.text()) > MAX_BYTES) {
            throw new InvalidTargetException("The target is longer than 2,048 bytes once it is normalised.");
        }
        return target;
    }

    private static String cleaned(String raw) throws InvalidTargetException {
        String text = raw.strip();
        if (text.isEmpty()) {
            throw new InvalidTargetException("The target is empty.");
        }
        boolean ascii = true;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x20 || c >= 0x7f && c < 0xa0) {
                throw new InvalidTargetException("A target cannot hold control characters.");
            }
            ascii &= c < 0x80;
        }
        if ((ascii ? text.length() : encodedLength(text)) > MAX_BYTES) {
            throw new InvalidTargetException("A target has at most 2,048 bytes.");
        }
        return text;
    }

    private static int encodedLength(String text) throws InvalidTargetException {
        try {
            return Utf8.encodedLength(text);
        } catch (IllegalArgumentException unpairedSurrogate) {
            throw new InvalidTargetException("The target is not valid Unicode.");
        }
    }

    private static Target.Url url(ModuleDescription module, String text) throws InvalidTargetException {
        UrlAuthority parts = UrlAuthority.parse(text, false);
        String scheme = parts.scheme() == null ? module.schemes().get(0) : parts.scheme();
        if (!module.schemes().contains(scheme)) {
            throw new InvalidTargetException(
                    "The scheme of the URL must be " + String.join(" or ", module.schemes()) + ".");
        }
        int port = parts.port() == 0 ? Target.Url.defaultPort(scheme) : parts.port();
        return new Target.Url(scheme, parts.host(), port, UrlNormalizer.pathAndQuery(parts.rest()));
    }

    private static Target.HostPort hostPort(ModuleDescription module, String text) throws InvalidTargetException {
        boolean bareV6 = isBareV6(text);
        UrlAuthority parts = bareV6 ? new UrlAuthority(null, bareV6(text), 0, "") : UrlAuthority.parse(text, false);
        int port = parts.port();
        if (port == 0 && bareV6 && module.defaultPort() == 0) {
            throw new InvalidTargetException(
                    "The target needs a port, and before one an IPv6 address stands in brackets: write "
                            + bracketed(text)
                            + ".");
        }
        if (port == 0) {
            port = module.defaultPort() != 0 ? module.defaultPort() : schemePort(parts.scheme());
        }
        return new Target.HostPort(parts.host(), port, port == module.defaultPort());
    }

    private static Host bareV6(String text) throws InvalidTargetException {
        if (IpAddressText.parse(text) == null && endsInPort(text)) {
            throw new InvalidTargetException(
                    "Before a port an IPv6 address stands in brackets: write " + bracketed(text) + ".");
        }
        return HostParser.parse(text, false);
    }

    /**
     * What was meant by an IPv6 address without brackets where a port is needed, as far as we see.
     */
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
            throw new InvalidTargetException("The target needs a port: write host:port.");
        }
        return port;
    }

    private static Target.Domain domain(String text) throws InvalidTargetException {
        if (text.indexOf('@') >= 0 && !UrlAuthority.looksLikeUrl(text)) {
            throw new InvalidTargetException(
                    "The target must be a domain; of an e-mail address give what stands after the @.");
        }
        Host host = host(text);
        if (host.literal() != null) {
            throw new InvalidTargetException("The target must be a domain name, not an IP address.");
        }
        return new Target.Domain(withoutPort(text, host, "a domain").name());
    }

    /** The host, whatever port stands after it. */
    private static Host host(String text) throws InvalidTargetException {
        return UrlAuthority.looksLikeUrl(text) || hasPort(text)
                ? UrlAuthority.parse(text, true).host()
                : HostParser.parse(text, true);
    }

    /** The same host, where the text names no port; in a URL one is passed over. */
    private static Host withoutPort(String text, Host host, String wanted) throws InvalidTargetException {
        if (!UrlAuthority.looksLikeUrl(text) && hasPort(text)) {
            throw new InvalidTargetException(
                    "This check takes " + wanted + " without a port: write " + host.name() + ".");
        }
        return host;
    }

    private static boolean hasPort(String text) {
        return text.startsWith("[")
                ? text.indexOf(']') > 0 && !text.endsWith("]")
                : text.indexOf(':') >= 0 && !isBareV6(text);
    }

    private static Target.Ip ip(String text) throws InvalidTargetException {
        boolean url = UrlAuthority.looksLikeUrl(text);
        Host host = url ? null : host(text);
        if (host == null || host.literal() == null) {
            throw new InvalidTargetException("The target must be an IPv4 or IPv6 address.");
        }
        return new Target.Ip(withoutPort(text, host, "an IP address"));
    }

    /**
     * Reads an e-mail address that is no target of a check, such as an account's.
     *
     * @throws InvalidTargetException when it is none, with the reason
     */
    public static Target.Email email(String raw) throws InvalidTargetException {
        if (raw.isBlank()) {
            throw new InvalidTargetException("An e-mail address has an @.");
        }
        return cleanEmail(cleaned(raw));
    }

    /** RFC 5321 §4.1.2 and, for characters beyond ASCII, RFC 6531; no address literals. */
    private static Target.Email cleanEmail(String text) throws InvalidTargetException {
        int at = text.lastIndexOf('@');
        if (at < 0) {
            throw new InvalidTargetException("An e-mail address has an @.");
        }
        String local = text.substring(0, at);
        if (encodedLength(local) > 64) {
            throw new InvalidTargetException("What stands before the @ has at most 64 bytes.");
        }
        if (!DOT_ATOM.matcher(local).matches() && !QUOTED.matcher(local).matches()) {
            throw new InvalidTargetException("What stands before the @ is no valid local part.");
        }
        String domain = text.substring(at + 1);
        if (domain.startsWith("[")) {
            throw new InvalidTargetException("An e-mail address must end in a domain name.");
        }
        Host host = HostParser.parse(domain, false);
        if (host.literal() != null) {
            throw new InvalidTargetException("An e-mail address must end in a domain name.");
        }
        if (local.length() + 1 + host.name().length() > 254) {
            throw new InvalidTargetException("An e-mail address has at most 254 characters.");
        }
        return new Target.Email(local, host.name());
    }

    private static boolean isBareV6(String text) {
        int colon = text.indexOf(':');
        return colon >= 0 && text.indexOf(':', colon + 1) >= 0 && !text.startsWith("[") && text.indexOf('/') < 0;
    }
}
