package dev.plumbline.result;

import com.google.common.hash.Hashing;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * What a result is known by.
 *
 * @param text module, target and options: equal for equal checks, and only for those
 */
public record ResultKey(String text) {

    public static ResultKey of(ModuleDescription module, Target target, Options options) {
        return new ResultKey(module.module() + '\n' + target.text() + '\n' + options.key());
    }

    /** What it is called in the database: short, whatever the length of the target. */
    String stored() {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Hashing.sha256()
                        .hashString(text, StandardCharsets.UTF_8)
                        .asBytes());
    }
}
