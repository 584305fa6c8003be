package dev.plumbline.account;

import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import java.text.Normalizer;
import java.util.Locale;

/**
 * The e-mail address of an account.
 *
 * @param text as it was given, for people
 * @param key as addresses are compared: the domain as A-labels, everything in lower case. That the
 *     case of what stands before the @ may matter (RFC 5321, section 2.4) is nowhere made use of
 */
public record EmailAddress(String text, String key) {

    /**
     * Reads an address.
     *
     * @throws IllegalArgumentException if it is none, with a sentence that says why
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
