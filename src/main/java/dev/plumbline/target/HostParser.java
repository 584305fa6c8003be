package dev.plumbline.target;

import com.ibm.icu.text.IDNA;
import com.ibm.icu.util.ICUInputTooLongException;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.Locale;

/**
 * Parses a host: an IPv6 or IPv4 address in any form that the WHATWG URL Standard allows, or a name, which is converted
 * to lower-case A-labels (UTS #46, non-transitional, STD3 rules).
 */
final class HostParser {
    private static final int MAX_NAME_LENGTH = 253;
    private static final int MAX_LABEL_LENGTH = 63;

    private static final int MAX_EXCERPT_LENGTH = 64;

    private HostParser() {}

    /** Returns at most 64 characters of user input, for error messages. */
    static String excerpt(String text) {
        return text.length() <= MAX_EXCERPT_LENGTH ? text : PrintableText.cut(text, MAX_EXCERPT_LENGTH) + "\u2026";
    }

    /**
     * @param underscores whether labels can contain {@code _}; allowed in DNS names, not in hostnames (RFC 952, RFC
     *     1123 §2.1)
     */
    static Host parse(String text, boolean underscores) throws InvalidTargetException {
        if (text.startsWith("[")) {
            if (!text.endsWith("]")) {
                throw new InvalidTargetException("The IPv6 address has no closing bracket.");
            }
            return v6(text.substring(1, text.length() - 1));
        }
        if (text.indexOf(':') >= 0) {
            return v6(text);
        }
        String name = name(text, underscores);
        if (!IpAddressText.endsInNumber(name)) {
            return new Host(name, null);
        }
        InetAddress address = IpAddressText.looseV4(name);
        if (address == null) {
            throw new InvalidTargetException(
                    name + " is not a valid IPv4 address. The last label of a hostname must not be a number.");
        }
        return new Host(IpAddressText.format(address), address);
    }

    @SuppressWarnings("OrphanedFormatString") // the message contains a percent sign
    private static Host v6(String text) throws InvalidTargetException {
        if (text.indexOf('%') >= 0) {
            throw new InvalidTargetException(
                    "IPv6 zone identifiers are not supported. Remove the % and the text after it.");
        }
        InetAddress address = text.indexOf(':') < 0 ? null : IpAddressText.parse(text);
        if (address == null) {
            throw new InvalidTargetException(excerpt(text) + " is not a valid IPv6 address.");
        }
        return new Host(IpAddressText.format(address), address);
    }

    /** Returns a name as lower-case A-labels without the trailing dot. */
    static String name(String text, boolean underscores) throws InvalidTargetException {
        String name = text;
        if (!isPlain(text)) {
            int prefix = underscores ? serviceLabels(text) : 0;
            name = text.substring(0, prefix) + Idna.toAscii(text.substring(prefix));
        }
        if (name.endsWith(".")) {
            name = name.substring(0, name.length() - 1);
        }
        return checked(name, underscores);
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80
                    || (c == 'x' || c == 'X')
                            && (i == 0 || text.charAt(i - 1) == '.')
                            && text.regionMatches(true, i, "xn--", 0, 4)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the length of the leading labels up to the last one with an underscore; IDNA does not apply to them. */
    private static int serviceLabels(String text) {
        int dot = text.indexOf('.', text.lastIndexOf('_') + 1);
        if (text.indexOf('_') < 0 || dot < 0) {
            return 0;
        }
        return isPlain(text.substring(0, dot)) ? dot + 1 : 0;
    }

    private static String checked(String name, boolean underscores) throws InvalidTargetException {
        if (name.isEmpty()) {
            throw new InvalidTargetException("The hostname is missing.");
        }
        if (name.length() > MAX_NAME_LENGTH) {
            throw new InvalidTargetException("The hostname has " + name.length() + " characters. The maximum is 253.");
        }
        int start = 0;
        for (int i = 0; i <= name.length(); i++) {
            char c = i == name.length() ? '.' : name.charAt(i);
            if (c == '.') {
                checkLabel(name, start, i);
                start = i + 1;
            } else if (!(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-')) {
                checkOddCharacter(c, underscores);
            }
        }
        return name.toLowerCase(Locale.ROOT);
    }

    private static void checkLabel(String name, int start, int end) throws InvalidTargetException {
        if (end == start) {
            throw new InvalidTargetException("The hostname contains an empty label. Remove the extra dot.");
        }
        if (end - start > MAX_LABEL_LENGTH) {
            throw new InvalidTargetException("A label of the hostname has more than 63 characters.");
        }
        if (name.charAt(start) == '-' || name.charAt(end - 1) == '-') {
            throw new InvalidTargetException(
                    "Label " + name.substring(start, end) + " must not begin or end with a hyphen.");
        }
    }

    private static void checkOddCharacter(char c, boolean underscores) throws InvalidTargetException {
        if (c == '_' && underscores) {
            return;
        }
        throw new InvalidTargetException(
                switch (c) {
                    case '_' -> "A hostname must not contain an underscore.";
                    case ' ' -> "A hostname must not contain a space.";
                    case '*' -> "Wildcard names are not supported. Enter a single hostname.";
                    default ->
                        c > 0x20 && c < 0x7f
                                ? "The character " + c + " is not allowed in a hostname."
                                : "The hostname contains a character that is not allowed.";
                });
    }

    /** A holder class, so that the ICU tables are loaded on first use. */
    static final class Idna {
        static final IDNA UTS46 = IDNA.getUTS46Instance(IDNA.NONTRANSITIONAL_TO_ASCII
                | IDNA.NONTRANSITIONAL_TO_UNICODE
                | IDNA.CHECK_BIDI
                | IDNA.CHECK_CONTEXTJ
                | IDNA.USE_STD3_RULES);

        static String toAscii(String name) throws InvalidTargetException {
            IDNA.Info info = new IDNA.Info();
            StringBuilder ascii = new StringBuilder();
            try {
                UTS46.nameToASCII(name, ascii, info);
            } catch (ICUInputTooLongException tooLong) {
                throw new InvalidTargetException(reason(IDNA.Error.LABEL_TOO_LONG));
            }
            EnumSet<IDNA.Error> errors = EnumSet.noneOf(IDNA.Error.class);
            errors.addAll(info.getErrors());
            errors.remove(IDNA.Error.HYPHEN_3_4);
            if (!errors.isEmpty()) {
                throw new InvalidTargetException(reason(errors.iterator().next()));
            }
            return ascii.toString();
        }

        private static String reason(IDNA.Error error) {
            return switch (error) {
                case EMPTY_LABEL -> "The hostname contains an empty label. Remove the extra dot.";
                case LABEL_TOO_LONG -> "A label of the hostname has more than 63 characters.";
                case DOMAIN_NAME_TOO_LONG -> "The hostname has more than 253 characters.";
                case PUNYCODE, INVALID_ACE_LABEL -> "A label that begins with xn-- is not a valid A-label (RFC 5890).";
                case BIDI ->
                    "The hostname mixes left-to-right and right-to-left characters, which IDNA does not"
                            + " allow (RFC 5893).";
                default ->
                    "The hostname contains characters that internationalized names must not contain" + " (UTS #46).";
            };
        }
    }
}
