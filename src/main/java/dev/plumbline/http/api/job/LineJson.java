package dev.plumbline.http.api.job;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.plumbline.bus.JobMessage;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/**
 * A line of a job as JSON. The result is bytes already and goes in as it is, without being read: up
 * to 64 KiB a line, and a job is asked for again and again.
 */
final class LineJson {
    private static final byte[] NO_RESULT =
            ("\"target\":null,\"verdict\":null,\"fields\":null,\"findings\":null,\"truncated\":null,"
                            + "\"error\":null,\"checked_at\":null,\"duration_ms\":null,\"cached\":null}")
                    .getBytes(StandardCharsets.US_ASCII);

    private LineJson() {}

    static void write(Buffer out, JobMessage.JobSnapshot job, JobMessage.ResultLine line) {
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
            int skipped = behindModule(result, job.module());
            out.appendBytes(result, skipped, result.length - skipped);
        }
    }

    /** Where a result goes on behind the module, which stands in the job. */
    private static int behindModule(byte[] result, String module) {
        byte[] start = ("{\"module\":\"" + module + "\",").getBytes(StandardCharsets.UTF_8);
        if (result.length <= start.length
                || !java.util.Arrays.equals(result, 0, start.length, start, 0, start.length)) {
            throw new IllegalStateException("a result that does not begin with its module");
        }
        return start.length;
    }
}
