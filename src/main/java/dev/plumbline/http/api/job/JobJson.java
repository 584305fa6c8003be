package dev.plumbline.http.api.job;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ResultJson;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Jobs as JSON. Equal jobs make equal bytes. */
final class JobJson {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final String PATH = "/api/v1/jobs/";

    private final String publicUrl;

    /**
     * @param publicUrl under which people reach the service
     */
    JobJson(String publicUrl) {
        this.publicUrl = publicUrl;
    }

    /** Where the job is found. */
    String location(JobMessage.JobSnapshot job) {
        return publicUrl + PATH + job.token();
    }

    /** A job without its lines. */
    Buffer summary(JobMessage.JobSnapshot job) {
        return written(json -> {
            json.writeStartObject();
            members(json, job);
            json.writeEndObject();
        });
    }

    /** A page of an account's jobs. */
    Buffer list(List<JobMessage.JobSnapshot> jobs, @Nullable String nextCursor) {
        return written(json -> {
            json.writeStartObject();
            json.writeArrayFieldStart("jobs");
            for (JobMessage.JobSnapshot job : jobs) {
                json.writeStartObject();
                members(json, job);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeStringField("next_cursor", nextCursor);
            json.writeEndObject();
        });
    }

    /**
     * A job with its lines.
     *
     * @param from index of the first line that is shown
     * @param nextCursor where the lines go on; null behind the last
     */
    LineWriter whole(JobMessage.JobSnapshot job, int from, @Nullable String nextCursor) {
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
                LineJson.write(out, job, line);
            }

            @Override
            public void end(Buffer out) {
                out.appendString("]}");
            }
        };
    }

    /** A job's lines, each a JSON object of its own with a line feed behind it. */
    static LineWriter ndjson(JobMessage.JobSnapshot job) {
        return new LineWriter() {
            @Override
            public void begin(Buffer out) {}

            @Override
            public void line(Buffer out, JobMessage.ResultLine line) {
                LineJson.write(out, job, line);
                out.appendByte((byte) '\n');
            }

            @Override
            public void end(Buffer out) {}
        };
    }

    private void members(JsonGenerator json, JobMessage.JobSnapshot job) throws IOException {
        json.writeStringField("token", job.token());
        json.writeStringField("module", job.module());
        json.writeObjectFieldStart("options");
        for (Map.Entry<String, Object> option : new TreeMap<>(job.options()).entrySet()) {
            json.writeFieldName(option.getKey());
            value(json, option.getValue());
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
        time(json, "created_at", job.createdAt());
        time(json, "started_at", job.startedAt());
        time(json, "finished_at", job.finishedAt());
        time(json, "expires_at", job.expiresAt());
        json.writeObjectFieldStart("links");
        json.writeStringField("self", location(job));
        json.writeStringField("csv", location(job) + "/results.csv");
        json.writeStringField("ndjson", location(job) + "/results.ndjson");
        json.writeStringField("web", publicUrl + "/jobs/" + job.token());
        json.writeEndObject();
    }

    /** How much of it is over, 0 to 1, in thousandths; 1 only when all of it is. */
    private static double progress(JobMessage.JobSnapshot job) {
        int over = job.done() + job.cancelled();
        return Math.floor(1000.0 * over / Math.max(1, job.total())) / 1000;
    }

    private static void value(JsonGenerator json, Object value) throws IOException {
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

    private static void time(JsonGenerator json, String name, @Nullable Instant time) throws IOException {
        json.writeStringField(name, time == null ? null : ResultJson.time(time));
    }

    private interface Writing {
        void to(JsonGenerator json) throws IOException;
    }

    private static Buffer written(Writing writing) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1024);
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            writing.to(json);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return Buffer.buffer(out.toByteArray());
    }
}
