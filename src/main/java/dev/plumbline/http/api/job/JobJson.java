package dev.plumbline.http.api.job;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ResultJson;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Serializes jobs as JSON. Equal jobs have equal bytes. */
final class JobJson {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final String PATH = "/api/v1/jobs/";
    private static final byte[] NO_RESULT =
            ("\"target\":null,\"verdict\":null,\"fields\":null,\"findings\":null,\"truncated\":null,"
                            + "\"error\":null,\"checked_at\":null,\"duration_ms\":null,\"cached\":null}")
                    .getBytes(StandardCharsets.US_ASCII);

    private final String publicUrl;

    /** @param publicUrl the public base URL of the service */
    JobJson(String publicUrl) {
        this.publicUrl = publicUrl;
    }

    /** Returns the URL of the job. */
    String location(JobMessage.JobSnapshot job) {
        return publicUrl + PATH + job.token();
    }

    /** Returns a job without its lines. */
    Buffer summary(JobMessage.JobSnapshot job) {
        return toBuffer(json -> {
            json.writeStartObject();
            writeJob(json, job);
            json.writeEndObject();
        });
    }

    /** Returns a page of jobs. */
    Buffer list(List<JobMessage.JobSnapshot> jobs, @Nullable String nextCursor) {
        return toBuffer(json -> {
            json.writeStartObject();
            json.writeArrayFieldStart("jobs");
            for (JobMessage.JobSnapshot job : jobs) {
                json.writeStartObject();
                writeJob(json, job);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeStringField("next_cursor", nextCursor);
            json.writeEndObject();
        });
    }

    /**
     * Returns the format of a job with its lines.
     *
     * @param from the index of the first line
     * @param nextCursor the cursor of the next page; null on the last page
     */
    LineWriter withLines(JobMessage.JobSnapshot job, int from, @Nullable String nextCursor) {
        return new LineWriter() {
            @Override
            public void begin(Buffer out) {
                Buffer summary = summary(job);
                out.appendBuffer(summary, 0, summary.length() - 1).appendString(",\"next_cursor\":");
                out.appendString(nextCursor == null ? "null" : '"' + nextCursor + '"');
                out.appendString(",\"results\":[");
            }

            @Override
            public void line(Buffer out, JobMessage.ResultLine line) {
                if (line.index() > from) {
                    out.appendByte((byte) ',');
                }
                writeLine(out, job, line);
            }

            @Override
            public void end(Buffer out) {
                out.appendString("]}");
            }
        };
    }

    /** Returns the NDJSON format: one JSON object per line. */
    static LineWriter ndjson(JobMessage.JobSnapshot job) {
        return new LineWriter() {
            @Override
            public void line(Buffer out, JobMessage.ResultLine line) {
                writeLine(out, job, line);
                out.appendByte((byte) '\n');
            }
        };
    }

    /** Writes a line. The stored result, up to 64 KiB, is copied without parsing. */
    private static void writeLine(Buffer out, JobMessage.JobSnapshot job, JobMessage.ResultLine line) {
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
            int offset = offsetAfterModule(result, job.module());
            out.appendBytes(result, offset, result.length - offset);
        }
    }

    /** Returns the offset after the member {@code module}, which lines omit. */
    private static int offsetAfterModule(byte[] result, String module) {
        byte[] start = ("{\"module\":\"" + module + "\",").getBytes(StandardCharsets.UTF_8);
        if (result.length <= start.length || !Arrays.equals(result, 0, start.length, start, 0, start.length)) {
            throw new IllegalStateException("the result does not begin with its module");
        }
        return start.length;
    }

    private void writeJob(JsonGenerator json, JobMessage.JobSnapshot job) throws IOException {
        json.writeStringField("token", job.token());
        json.writeStringField("module", job.module());
        json.writeObjectFieldStart("options");
        for (Map.Entry<String, Object> option : new TreeMap<>(job.options()).entrySet()) {
            json.writeFieldName(option.getKey());
            writeValue(json, option.getValue());
        }
        json.writeEndObject();
        json.writeStringField("state", job.state().id());
        json.writeObjectFieldStart("counts");
        json.writeNumberField("total", job.total());
        json.writeNumberField("pending", job.pending());
        json.writeNumberField("running", job.running());
        json.writeNumberField("done", job.done());
        json.writeNumberField("pass", job.pass());
        json.writeNumberField("warn", job.warn());
        json.writeNumberField("fail", job.fail());
        json.writeNumberField("error", job.error());
        json.writeNumberField("cancelled", job.cancelled());
        json.writeEndObject();
        json.writeNumberField("progress", progress(job));
        writeTime(json, "created_at", job.createdAt());
        writeTime(json, "started_at", job.startedAt());
        writeTime(json, "finished_at", job.finishedAt());
        writeTime(json, "expires_at", job.expiresAt());
        json.writeObjectFieldStart("links");
        json.writeStringField("self", location(job));
        json.writeStringField("csv", location(job) + "/results.csv");
        json.writeStringField("ndjson", location(job) + "/results.ndjson");
        json.writeStringField("web", publicUrl + "/jobs/" + job.token());
        json.writeEndObject();
    }

    /** The completed share, from 0 to 1, rounded down to thousandths. */
    private static double progress(JobMessage.JobSnapshot job) {
        int completed = job.done() + job.cancelled();
        return Math.floor(1000.0 * completed / Math.max(1, job.total())) / 1000;
    }

    private static void writeValue(JsonGenerator json, Object value) throws IOException {
        if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object item : list) {
                json.writeString(String.valueOf(item));
            }
            json.writeEndArray();
        } else {
            json.writeString(value.toString());
        }
    }

    private static void writeTime(JsonGenerator json, String name, @Nullable Instant time) throws IOException {
        json.writeStringField(name, time == null ? null : ResultJson.time(time));
    }

    private interface JsonWriter {
        void write(JsonGenerator json) throws IOException;
    }

    private static Buffer toBuffer(JsonWriter writer) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1024);
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            writer.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Buffer.buffer(out.toByteArray());
    }
}
