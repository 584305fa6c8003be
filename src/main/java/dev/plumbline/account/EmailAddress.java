package dev.plumbline.account;

import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import java.text.Normalizer;
import java.util.Locale;

/**
 * The e-mail address of an account.
 *
 * @param text as given, for display
 * @param key for comparison: lower case, with the domain as A-labels. The local part is treated as
 *     case-insensitive, which RFC 5321 (section 2.4) leaves to the mail server
 */
public record EmailAddress(String text, String key) {

    /**
     * Parses an e-mail address.
     *
     * @throws IllegalArgumentException if it is not valid; the message is a sentence for the user
     */
    public static EmailAddress parse(String raw) {
        String text = Normalizer.normalize(raw.strip(), Normalizer.Form.NFC);
        try {
            Target.Email email = TargetParser.email(text);
            return new EmailAddress(text, email.text().toLowerCase(Locale.ROOT));
        } catch (InvalidTargetException none) {
            throw new IllegalArgumentException(none.getMessage(), none);
        }
    }
}
