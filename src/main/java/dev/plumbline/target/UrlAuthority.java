package dev.plumbline.target;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The scheme, host, port and remainder of a URL or of a target that can be written as one.
 *
 * @param scheme lower case; null if absent
 * @param port 0 if absent
 * @param rest the path and query, without the fragment
 */
record UrlAuthority(@Nullable String scheme, Host host, int port, String rest) {
    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*");
    private static final Pattern PORT = Pattern.compile("0*[0-9]{1,5}");

    /** Whether the text has a scheme, path, query or fragment. */
    static boolean looksLikeUrl(String text) {
        return schemeEnd(text) >= 0 || text.indexOf('/') >= 0 || text.indexOf('?') >= 0 || text.indexOf('#') >= 0;
    }

    @SuppressWarnings("OrphanedFormatString") // the message contains a percent-encoded character
    static UrlAuthority parse(String text, boolean underscores) throws InvalidTargetException {
        int schemeEnd = schemeEnd(text);
        String scheme = schemeEnd < 0 ? null : text.substring(0, schemeEnd).toLowerCase(Locale.ROOT);
        int start = schemeEnd + 1;
        if (scheme != null || text.startsWith("//")) {
            while (start < text.length() && text.charAt(start) == '/') {
                start++;
            }
        }
        int end = start;
        while (end < text.length() && "/?#".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        int fragment = text.indexOf('#', end);
        String rest = text.substring(end, fragment < 0 ? text.length() : fragment);
        int question = rest.indexOf('?');
        if (text.substring(0, end).indexOf('\\') >= 0
                || (question < 0 ? rest : rest.substring(0, question)).indexOf('\\') >= 0) {
            throw new InvalidTargetException("A URL must not contain a backslash. Percent-encode it as %5C.");
        }
        return of(scheme, text.substring(start, end), underscores, rest);
    }

    private static UrlAuthority of(@Nullable String scheme, String authority, boolean underscores, String rest)
            throws InvalidTargetException {
        if (authority.indexOf('@') >= 0) {
            throw new InvalidTargetException("The URL must not contain a user name or password.");
        }
        int bracket = authority.startsWith("[") ? authority.indexOf(']') : 0;
        if (bracket < 0) {
            throw new InvalidTargetException("The IPv6 address has no closing bracket.");
        }
        int colon = authority.indexOf(':', bracket);
        if (bracket > 0 && colon != bracket + 1 && authority.length() > bracket + 1) {
            throw new InvalidTargetException("Only a port can follow the closing bracket of an IPv6 address.");
        }
        if (colon >= 0 && authority.indexOf(':', colon + 1) >= 0) {
            throw new InvalidTargetException("Enclose the IPv6 address in brackets.");
        }
        String host = colon < 0 ? authority : authority.substring(0, colon);
        int port = colon < 0 ? 0 : port(authority.substring(colon + 1));
        return new UrlAuthority(scheme, HostParser.parse(decoded(host), underscores), port, rest);
    }

    /** Parses a port. Returns 0 for an empty string. */
    static int port(String digits) throws InvalidTargetException {
        if (digits.isEmpty()) {
            return 0;
        }
        int port = PORT.matcher(digits).matches() ? Integer.parseInt(digits) : 0;
        if (port == 0 || port > 65_535) {
            throw new InvalidTargetException(
                    "Port " + HostParser.excerpt(digits) + " is not valid. Use a number from 1 to 65535.");
        }
        return port;
    }

    /**
     * Returns the index of the colon after the scheme, or -1 without a scheme. {@code host:8080} has no scheme;
     * {@code http:/host} and {@code http:host} have one.
     */
    private static int schemeEnd(String text) {
        int colon = text.indexOf(':');
        if (colon <= 0 || !SCHEME.matcher(text).region(0, colon).matches()) {
            return -1;
        }
        boolean dotted = text.lastIndexOf('.', colon) >= 0;
        if (text.startsWith("//", colon + 1) || text.startsWith("/", colon + 1) && !dotted) {
            return colon;
        }
        return !dotted && Target.Url.defaultPort(text.substring(0, colon).toLowerCase(Locale.ROOT)) != 0 ? colon : -1;
    }

    /** Percent-decodes the host once (WHATWG URL Standard, host parsing). */
    private static String decoded(String host) throws InvalidTargetException {
        if (host.indexOf('%') < 0 || host.startsWith("[")) {
            return host;
        }
        byte[] in = host.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(in.length);
        for (int i = 0; i < in.length; i++) {
            if (in[i] != '%') {
                out.put(in[i]);
                continue;
            }
            int high = i + 2 < in.length ? Character.digit((char) in[i + 1], 16) : -1;
            int low = i + 2 < in.length ? Character.digit((char) in[i + 2], 16) : -1;
            if (high < 0 || low < 0) {
                throw new InvalidTargetException("The hostname contains an invalid percent-encoding.");
            }
            out.put((byte) (high << 4 | low));
            i += 2;
        }
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(out.flip()).toString();
            if (text.indexOf(':') >= 0 || text.indexOf('[') >= 0) {
                throw new InvalidTargetException("The hostname contains a character that is not allowed.");
            }
            return text;
        } catch (CharacterCodingException notUtf8) {
            throw new InvalidTargetException("The percent-encoded hostname is not valid UTF-8.");
        }
    }
}
