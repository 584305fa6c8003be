package dev.plumbline.result;

import com.google.common.hash.Hashing;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The cache key of a result.
 *
 * @param text module, target and options; equal if and only if the checks are equal
 */
public record ResultKey(String text) {

    public static ResultKey of(ModuleDescription module, Target target, Options options) {
        return new ResultKey(module.module() + '\n' + target.text() + '\n' + options.key());
    }

    /** The key in the database: a digest of fixed length. */
    String stored() {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Hashing.sha256()
                        .hashString(text, StandardCharsets.UTF_8)
                        .asBytes());
    }
}
