package dev.plumbline.share;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.bus.JobMessage.JobSnapshot;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a result that anyone who knows its ID can read, without its lines.
 *
 * @param id 22 random letters and digits (131 bits)
 * @param check the check; null for a job
 * @param job the finished job, with the ID of the shared result as its token; null for a check
 * @param bytes the stored size, with all lines
 */
public record SharedResult(
        String id,
        @Nullable SharedCheck check,
        @Nullable JobSnapshot job,
        long bytes,
        Instant createdAt,
        Instant expiresAt) {
    private static final int LENGTH = 22;
    private static final Pattern ID = Pattern.compile("[0-9A-Za-z]{22}");

    /**
     * An instant check. Its result is the only line.
     *
     * @param target normalized
     * @param options options that differ from the module's defaults
     */
    public record SharedCheck(String module, String target, Map<String, Object> options) {}

    public static String generateId() {
        return ApiKeySecret.random(LENGTH);
    }

    public static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /** {@code check} or {@code job}. */
    public String kind() {
        return job == null ? "check" : "job";
    }

    public String module() {
        return job != null ? job.module() : check == null ? "" : check.module();
    }

    /** The options that differ from the module's defaults. */
    public Map<String, Object> options() {
        return job != null ? job.options() : check == null ? Map.of() : check.options();
    }

    /** The name of the job, or the target of the check. */
    public String name() {
        return job != null ? job.name() : check == null ? "" : check.target();
    }
}
