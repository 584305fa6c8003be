package dev.plumbline.check;

import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of a part of a composite.
 *
 * @param target null if it was not determined
 * @param result for the target, or for the module that did not determine it
 * @param unverified the result without verification of the server's certificate, if the part ended with
 *     {@code tls_untrusted}; null otherwise
 */
public record PartResult(
        CompositePart part, @Nullable String target, CheckResult result, @Nullable CheckResult unverified) {

    /** The key value of the report; null if it does not have one. */
    public @Nullable String headline() {
        return target == null ? null : part.module().headline().of(judged());
    }

    /** The first finding of the worst level; null if there is none or the target was not determined. */
    public @Nullable Finding topFinding() {
        return target == null ? null : judged().topFinding();
    }

    /**
     * The values of the fields that composites keep of the part, by name. Rules of policies read them. Null if the
     * target was not determined.
     */
    public @Nullable Map<String, @Nullable Object> keptFields() {
        if (target == null) {
            return null;
        }
        Map<String, @Nullable Object> kept = new LinkedHashMap<>();
        part.module()
                .partFields()
                .forEach(name -> kept.put(name, inspected().fields().get(name)));
        return kept;
    }

    /** The codes of the findings, each once. */
    public List<String> findingCodes() {
        return target == null
                ? List.of()
                : judged().findings().stream().map(Finding::code).distinct().toList();
    }

    public String module() {
        return part.module().module();
    }

    /** The result that describes the target: the one without verification of the certificate if there is one. */
    public CheckResult inspected() {
        return unverified == null ? result : unverified;
    }

    /** The verdict of the part; {@code error} if it was not determined. See {@link CompositePart#verdict}. */
    public Verdict verdict() {
        if (target == null) {
            return Verdict.ERROR;
        }
        return part.verdict(judged());
    }

    /** The result from which the verdict follows: an entry fails if browsers do not trust the certificate. */
    private CheckResult judged() {
        return entry() ? result : inspected();
    }

    /** Whether other parts depend on the server that this part tests. */
    boolean entry() {
        return part.module().reachability();
    }

    /** The code of the error; null if the part completed. */
    @Nullable
    ErrorCode errorCode() {
        return result.error() == null ? null : result.error().code();
    }

    /** Whether the part did not complete because of its target. Not known for mail servers that do not respond. */
    boolean endedByTarget() {
        CheckError error = result.error();
        return error != null && error.code().targetFault() && !part.isSilentMailServer(error);
    }
}
