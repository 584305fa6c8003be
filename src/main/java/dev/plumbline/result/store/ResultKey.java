package dev.plumbline.result.store;

import com.google.common.hash.Hashing;
import dev.plumbline.target.Target;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The identity of a check.
 *
 * @param text module, target and options; equal for equal checks only
 */
public record ResultKey(String text) {

    /** @param options the key of the options, which is equal for equal options */
    public static ResultKey of(String module, Target target, String options) {
        return new ResultKey(module + '\n' + target.text() + '\n' + options);
    }

    /** The key in the database: a SHA-256 in base64url. */
    String stored() {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Hashing.sha256()
                        .hashString(text, StandardCharsets.UTF_8)
                        .asBytes());
    }
}
