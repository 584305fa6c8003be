package dev.plumbline.check;

import com.ibm.icu.text.IDNA;
import com.ibm.icu.util.ICUInputTooLongException;
import java.net.InetAddress;
import java.util.EnumSet;

/**
 * Reads a host: an IPv6 or IPv4 address in any spelling that a browser understands, or a name,
 * which ends as lower-case A-labels (UTS-46, non-transitional, STD3 rules).
 */
final class HostParser {
    private static final int MOST_NAME = 253;
    private static final int MOST_LABEL = 63;

    private HostParser() {}

    /**
     * @param underscores whether labels may hold {@code _}, which names in the DNS may and host names
     *     may not (RFC 952, RFC 1123 §2.1)
     */
    static Host parse(String text, boolean underscores) throws InvalidTargetException {
        if (text.startsWith("[")) {
            if (!text.endsWith("]")) {
                throw new InvalidTargetException("The bracket of the IPv6 address is never closed.");
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
                    "A host that ends in a number must be an IPv4 address, which this is not.");
        }
        return new Host(IpAddressText.format(address), address);
    }

    private static Host v6(String text) throws InvalidTargetException {
        if (text.indexOf('%') >= 0) {
            throw new InvalidTargetException("An IPv6 address with a zone cannot be checked.");
        }
        InetAddress address = text.indexOf(':') < 0 ? null : IpAddressText.parse(text);
        if (address == null) {
            throw new InvalidTargetException("The IPv6 address is malformed.");
        }
        return new Host(IpAddressText.format(address), address);
    }

    /** The A-labels of a name, in lower case and without the trailing dot. */
    static String name(String text, boolean underscores) throws InvalidTargetException {
        String name = text;
        if (!isPlain(text)) {
            int prefix = underscores ? serviceLabels(text) : 0;
            name = text.substring(0, prefix) + UnicodeName.toAscii(text.substring(prefix));
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

    /** How long the leading labels are up to the last that holds an underscore: no IDN has one. */
    private static int serviceLabels(String text) {
        int dot = text.indexOf('.', text.lastIndexOf('_') + 1);
        if (text.indexOf('_') < 0 || dot < 0) {
            return 0;
        }
        return isPlain(text.substring(0, dot)) ? dot + 1 : 0;
    }

    private static String checked(String name, boolean underscores) throws InvalidTargetException {
        if (name.isEmpty()) {
            throw new InvalidTargetException("The host is missing.");
        }
        if (name.length() > MOST_NAME) {
            throw new InvalidTargetException("A name has at most 253 characters.");
        }
        boolean upper = false;
        int start = 0;
        for (int i = 0; i <= name.length(); i++) {
            char c = i == name.length() ? '.' : name.charAt(i);
            if (c == '.') {
                checkLabel(name, start, i);
                start = i + 1;
            } else if (c >= 'A' && c <= 'Z') {
                upper = true;
            } else if (!(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-')) {
                checkOddCharacter(c, underscores);
            }
        }
        return upper ? lower(name) : name;
    }

    private static void checkLabel(String name, int start, int end) throws InvalidTargetException {
        if (end == start) {
            throw new InvalidTargetException("A label of the name is empty.");
        }
        if (end - start > MOST_LABEL) {
            throw new InvalidTargetException("A label of a name has at most 63 characters.");
        }
        if (name.charAt(start) == '-' || name.charAt(end - 1) == '-') {
            throw new InvalidTargetException("A label of a name neither begins nor ends with a hyphen.");
        }
    }

    private static void checkOddCharacter(char c, boolean underscores) throws InvalidTargetException {
        if (c == '_') {
            if (underscores) {
                return;
            }
            throw new InvalidTargetException("A host name cannot hold an underscore.");
        }
        if (c == ' ') {
            throw new InvalidTargetException("A name cannot hold a space.");
        }
        if (c == '*') {
            throw new InvalidTargetException("A name with a wildcard cannot be checked; name one host.");
        }
        throw new InvalidTargetException(
                c > 0x20 && c < 0x7f
                        ? "A name cannot hold the character " + c + " ."
                        : "A name cannot hold such a character.");
    }

    private static String lower(String name) {
        char[] chars = name.toCharArray();
        for (int i = 0; i < chars.length; i++) {
            if (chars[i] >= 'A' && chars[i] <= 'Z') {
                chars[i] = (char) (chars[i] + ('a' - 'A'));
            }
        }
        return new String(chars);
    }

    /** Apart, so that ICU's tables are loaded with the first name that needs them. */
    private static final class UnicodeName {
        private static final IDNA UTS46 = IDNA.getUTS46Instance(IDNA.NONTRANSITIONAL_TO_ASCII
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
                case EMPTY_LABEL -> "A label of the name is empty.";
                case LABEL_TOO_LONG -> "A label of a name has at most 63 characters.";
                case DOMAIN_NAME_TOO_LONG -> "A name has at most 253 characters.";
                case PUNYCODE, INVALID_ACE_LABEL -> "A label that begins with xn-- is no valid A-label.";
                case BIDI -> "The name mixes directions of writing in a way that IDNA forbids.";
                default -> "The name holds characters that an internationalised name may not (UTS-46).";
            };
        }
    }
}
