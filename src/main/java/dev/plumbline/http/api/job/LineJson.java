package dev.plumbline.http.api.job;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.plumbline.bus.JobMessage;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/**
 * Serializes a line of a job as JSON. The stored result, up to 64 KiB, is copied without parsing.
 */
final class LineJson {
    private static final byte[] NO_RESULT =
            ("\"target\":null,\"verdict\":null,\"fields\":null,\"findings\":null,\"truncated\":null,"
                            + "\"error\":null,\"checked_at\":null,\"duration_ms\":null,\"cached\":null}")
                    .getBytes(StandardCharsets.US_ASCII);

    private LineJson() {}

    static void write(Buffer out, JobMessage.JobHead job, JobMessage.ResultLine line) {
        out.appendString("{\"index\":")
                .appendString(Integer.toString(line.index()))
                .appendString(",\"input\":\"")
                .appendBytes(JsonStringEncoder.getInstance().quoteAsUTF8(line.input()))
                .appendString("\",\"state\":\"")
                .appendString(LineState.of(job, line).id())
                .appendString("\",");
        byte[] result = line.result();
        if (result == null) {
            out.appendBytes(NO_RESULT);
        } else {
            int skipped = afterModule(result, job.module());
            out.appendBytes(result, skipped, result.length - skipped);
        }
    }

    /** Returns the offset after the member {@code module}, which lines omit. */
    private static int afterModule(byte[] result, String module) {
        byte[] start = ("{\"module\":\"" + module + "\",").getBytes(StandardCharsets.UTF_8);
        if (result.length <= start.length
                || !java.util.Arrays.equals(result, 0, start.length, start, 0, start.length)) {
            throw new IllegalStateException("the result does not begin with its module");
        }
        return start.length;
    }
}
