package dev.plumbline.account;

import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import java.text.Normalizer;
import java.util.Locale;

/**
 * The e-mail address of an account.
 *
 * @param text as entered, in NFC
 * @param key normalized for comparison: domain in A-labels, all in lower case. The local part is compared
 *     case-insensitively, although RFC 5321, section 2.4 permits case sensitivity
 */
public record AccountEmail(String text, String key) {

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException if it is not valid; the message is a sentence
     */
    public static AccountEmail parse(String raw) {
        String text = Normalizer.normalize(raw.strip(), Normalizer.Form.NFC);
        try {
            Target.Email email = TargetParser.email(text);
            return new AccountEmail(text, email.text().toLowerCase(Locale.ROOT));
        } catch (InvalidTargetException none) {
            throw new IllegalArgumentException(none.getMessage(), none);
        }
    }
}
