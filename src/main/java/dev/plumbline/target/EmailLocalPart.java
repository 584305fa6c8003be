package dev.plumbline.target;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import org.jspecify.annotations.Nullable;

/**
 * The syntax of the part of an e-mail address before the {@code @} (RFC 5321 section 4.1.2, with the characters of RFC
 * 6531 section 3.3). Comments and other forms that RFC 5322 allows only in message headers are not valid.
 */
public final class EmailLocalPart {
    /** The maximum length in UTF-8 bytes (RFC 5321 section 4.5.3.1.1). */
    public static final int MAX_BYTES = 64;

    private static final String ATOM_SYMBOLS = "!#$%&'*+-/=?^_`{|}~";

    private EmailLocalPart() {}

    /** Why a local part is not valid. */
    public enum Fault {
        EMPTY,
        TOO_LONG,
        /** A dot at the start or the end, or two dots in a row. */
        DOT,
        COMMENT,
        /** Quotation marks that do not enclose the whole local part, or a quotation that is not valid. */
        QUOTATION,
        CHARACTER
    }

    /** The first error; null if the local part is valid. */
    public static @Nullable Fault fault(String local) {
        if (local.isEmpty()) {
            return Fault.EMPTY;
        }
        if (local.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            return Fault.TOO_LONG;
        }
        if (local.indexOf('"') >= 0) {
            return isQuotedString(local) ? null : Fault.QUOTATION;
        }
        if (local.indexOf('(') >= 0 || local.indexOf(')') >= 0) {
            return Fault.COMMENT;
        }
        if (invalidCharacter(local) != 0) {
            return Fault.CHARACTER;
        }
        boolean dot = local.startsWith(".") || local.endsWith(".") || local.contains("..");
        return dot ? Fault.DOT : null;
    }

    /** The first character that an unquoted local part cannot contain; 0 if there is none. */
    public static int invalidCharacter(String local) {
        return local.codePoints()
                .filter(c -> c != '.' && !isAtomCharacter(c))
                .findFirst()
                .orElse(0);
    }

    /** Whether the local part is enclosed in quotation marks. */
    public static boolean isQuoted(String local) {
        return local.startsWith("\"");
    }

    /**
     * A valid local part in NFC, without quotation marks and backslashes that are not needed (RFC 5321 section 4.1.2).
     */
    public static String normalized(String local) {
        String text = Normalizer.normalize(local, Normalizer.Form.NFC);
        if (!isQuoted(text)) {
            return text;
        }
        StringBuilder content = new StringBuilder();
        for (int i = 1; i < text.length() - 1; i++) {
            if (text.charAt(i) == '\\') {
                i++;
            }
            content.append(text.charAt(i));
        }
        String plain = content.toString();
        return fault(plain) == null && !isQuoted(plain)
                ? plain
                : "\"" + plain.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private static boolean isAtomCharacter(int c) {
        return c < 0x80
                ? c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || ATOM_SYMBOLS.indexOf(c) >= 0
                : PrintableText.isPrintable(c) && !Character.isSpaceChar(c);
    }

    private static boolean isQuotedString(String local) {
        int last = local.length() - 1;
        if (last < 1 || local.charAt(0) != '"' || local.charAt(last) != '"') {
            return false;
        }
        for (int i = 1; i < last; i++) {
            int c = local.codePointAt(i);
            if (c == '"' || c == '\\' && ++i == last) {
                return false;
            }
            int quoted = local.codePointAt(i);
            if (!PrintableText.isPrintable(quoted) || c == '\\' && quoted > 0x7e) {
                return false;
            }
            i += Character.charCount(quoted) - 1;
        }
        return true;
    }
}
