package dev.plumbline.result;

import com.google.common.hash.Hashing;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The identity of a check.
 *
 * @param text module, target and options; equal for equal checks only
 */
public record ResultKey(String text) {

    public static ResultKey of(ModuleDescription module, Target target, Options options) {
        return new ResultKey(module.module() + '\n' + target.text() + '\n' + options.key());
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
