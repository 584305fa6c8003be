package dev.plumbline.http.api.job;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.result.ResultJson;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** Serializes jobs as JSON. Equal jobs have equal bytes. */
final class JobJson {
    private static final String PATH = "/api/v1/jobs";
    private static final byte[] NO_RESULT =
            ("\"rules\":null,\"target\":null,\"verdict\":null,\"fields\":null,\"findings\":null,\"truncated\":null,"
                            + "\"error\":null,\"checked_at\":null,\"duration_ms\":null,\"waited_ms\":null,\"cached\":null}")
                    .getBytes(StandardCharsets.US_ASCII);

    private static final byte[] WAITED_MS = ",\"waited_ms\":".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NO_WAITED_MS = ",\"waited_ms\":null".getBytes(StandardCharsets.US_ASCII);

    private final String publicUrl;
    private final BiPredicate<String, String> policies;

    /**
     * @param publicUrl the public base URL of the service
     * @param policies whether there is a policy with a name that applies to a module
     */
    JobJson(String publicUrl, BiPredicate<String, String> policies) {
        this.publicUrl = publicUrl;
        this.policies = policies;
    }

    /** Returns the URL of the list of jobs. */
    String location() {
        return publicUrl + PATH;
    }

    String location(String token) {
        return location() + '/' + token;
    }

    /**
     * Returns a job without its lines.
     *
     * @param matched the number of lines that match the filters of the request
     */
    Buffer summary(JobMessage.JobSnapshot job, int matched) {
        return json(job).put("matched", matched).toBuffer();
    }

    Buffer list(List<JobMessage.JobSnapshot> jobs, @Nullable String nextCursor) {
        return new JsonObject()
                .put("jobs", new JsonArray(jobs.stream().map(this::json).toList()))
                .put("next_cursor", nextCursor)
                .toBuffer();
    }

    /**
     * Returns the format of a job with its lines. The members that depend on all lines are the last ones.
     *
     * @param page the lines that are written
     */
    LineWriter withLines(JobMessage.JobSnapshot job, JobViewParameters view, LinePage page) {
        return new LineWriter() {
            private boolean first = true;

            @Override
            public void begin(Buffer out) {
                Buffer members = json(job).toBuffer();
                out.appendBuffer(members, 0, members.length() - 1);
                if (view.lines()) {
                    out.appendString(",\"results\":[");
                }
            }

            @Override
            public void line(Buffer out, JobMessage.ResultLine line) {
                if (!first) {
                    out.appendByte((byte) ',');
                }
                first = false;
                writeLine(out, job, line, view.selection().fields());
            }

            @Override
            public void end(Buffer out) {
                if (view.lines()) {
                    String since = page.since();
                    out.appendString("],")
                            .appendString(
                                    since == null
                                            ? "\"next_cursor\":" + quote(page.nextCursor())
                                            : "\"since\":" + quote(since));
                }
                out.appendString(",\"matched\":" + page.matched() + "}");
            }
        };
    }

    /**
     * Returns the format of an object with a copy of a job as its last member.
     *
     * @param members the other members
     * @param fields the fields of the results; empty for all
     */
    LineWriter copy(JsonObject members, JobMessage.JobSnapshot job, List<String> fields) {
        JsonObject copied = json(job);
        // of the job itself, or without a meaning when it is finished
        List.of("token", "policy", "expect", "progress", "waiting", "expires_at", "links")
                .forEach(copied::remove);
        return new LineWriter() {
            private boolean first = true;

            @Override
            public void begin(Buffer out) {
                out.appendString(withoutEnd(members.encode()))
                        .appendString(",\"job\":")
                        .appendString(withoutEnd(copied.encode()))
                        .appendString(",\"results\":[");
            }

            @Override
            public void line(Buffer out, JobMessage.ResultLine line) {
                if (!first) {
                    out.appendByte((byte) ',');
                }
                first = false;
                writeLine(out, job, line, fields);
            }

            @Override
            public void end(Buffer out) {
                out.appendString("]}}");
            }
        };
    }

    private static String withoutEnd(String object) {
        return object.substring(0, object.length() - 1);
    }

    private static String quote(@Nullable String cursor) {
        return cursor == null ? "null" : '"' + cursor + '"';
    }

    /**
     * Returns the NDJSON format: one JSON object per line.
     *
     * @param fields the fields of the results; empty for all
     */
    static LineWriter ndjson(JobMessage.JobSnapshot job, List<String> fields) {
        return (out, line) -> {
            writeLine(out, job, line, fields);
            out.appendByte((byte) '\n');
        };
    }

    /**
     * Returns a line.
     *
     * @param fields the fields of the result; empty for all
     */
    static byte[] line(JobMessage.JobSnapshot job, JobMessage.ResultLine line, List<String> fields) {
        Buffer out = Buffer.buffer();
        writeLine(out, job, line, fields);
        return out.getBytes();
    }

    /** Writes a line. The stored result, up to 64 KiB, is copied without parsing unless fields are selected. */
    private static void writeLine(
            Buffer out, JobMessage.JobSnapshot job, JobMessage.ResultLine line, List<String> fields) {
        out.appendString("{\"index\":")
                .appendString(Integer.toString(line.index()))
                .appendString(",\"input\":\"")
                .appendBytes(JsonStringEncoder.getInstance().quoteAsUTF8(line.input()))
                .appendString("\",\"state\":\"")
                .appendString(LineState.of(job, line).id())
                .appendString("\",");
        if (line.result() == null) {
            out.appendBytes(NO_RESULT);
        } else {
            byte[] stored = ResultJson.withRules(line.result());
            byte[] result = fields.isEmpty() ? stored : StoredResult.withFields(stored, fields);
            int offset = offsetAfterModule(result, job.module());
            // the offset of the last member, cached
            int cached = lastComma(result, result.length);
            out.appendBytes(result, offset, cached - offset);
            if (!hasWaitedMs(result, cached)) {
                out.appendBytes(NO_WAITED_MS);
            }
            out.appendBytes(result, cached, result.length - cached);
        }
    }

    private static int lastComma(byte[] result, int end) {
        int offset = end - 1;
        while (result[offset] != ',') {
            offset--;
        }
        return offset;
    }

    /** Whether the member before {@code cached} is {@code waited_ms}, which results of earlier versions do not have. */
    private static boolean hasWaitedMs(byte[] result, int cached) {
        int offset = lastComma(result, cached);
        return Arrays.equals(result, offset, offset + WAITED_MS.length, WAITED_MS, 0, WAITED_MS.length);
    }

    /** Returns the offset after the member {@code module}, which lines omit. */
    private static int offsetAfterModule(byte[] result, String module) {
        byte[] start = ("{\"module\":\"" + module + "\",").getBytes(StandardCharsets.UTF_8);
        if (result.length <= start.length || !Arrays.equals(result, 0, start.length, start, 0, start.length)) {
            throw new IllegalStateException("the result does not begin with its module");
        }
        return start.length;
    }

    /** Returns the number of lines by state and verdict. */
    static JsonObject counts(JobMessage.JobSnapshot job) {
        return new JsonObject()
                .put("total", job.total())
                .put("pending", job.pending())
                .put("running", job.running())
                .put("done", job.done())
                .put("pass", job.pass())
                .put("warn", job.warn())
                .put("fail", job.fail())
                .put("error", job.error())
                .put("cancelled", job.cancelled());
    }

    private JsonObject json(JobMessage.JobSnapshot job) {
        String location = location(job.token());
        JsonObject links = new JsonObject()
                .put("self", location)
                .put("csv", location + "/results.csv")
                .put("ndjson", location + "/results.ndjson")
                .put("web", publicUrl + "/jobs/" + job.token());
        return new JsonObject()
                .put("token", job.token())
                .put("name", job.name())
                .put("module", job.module())
                .put("options", new JsonObject(new TreeMap<>(job.options())))
                .put("policy", policy(job))
                .put("expect", expect(job.defaultPolicy()))
                .put("state", job.state().id())
                .put("counts", counts(job))
                .put("progress", progress(job))
                .put("waiting", waiting(job))
                .put("created_at", time(job.createdAt()))
                .put("started_at", time(job.startedAt()))
                .put("finished_at", time(job.finishedAt()))
                .put("expires_at", time(job.expiresAt()))
                .put("links", links);
    }

    private @Nullable JsonObject policy(JobMessage.JobSnapshot job) {
        JobMessage.DefaultPolicy defaultPolicy = job.defaultPolicy();
        String name = defaultPolicy == null ? null : defaultPolicy.policy();
        return name == null
                ? null
                : new JsonObject().put("name", name).put("missing", !policies.test(name, job.module()));
    }

    private static JsonArray expect(JobMessage.@Nullable DefaultPolicy defaultPolicy) {
        return defaultPolicy == null ? new JsonArray() : new JsonArray(defaultPolicy.expect());
    }

    private static JsonArray waiting(JobMessage.JobSnapshot job) {
        JsonArray waiting = new JsonArray();
        for (JobMessage.WaitingLines lines : job.waiting()) {
            waiting.add(new JsonObject()
                    .put("target_address", lines.targetAddress())
                    .put("limit", lines.limit())
                    .put("per_second", lines.perSecond() == 0 ? null : lines.perSecond())
                    .put("lines", lines.lines()));
        }
        return waiting;
    }

    /** The completed share, from 0 to 1, rounded down to thousandths. */
    private static double progress(JobMessage.JobSnapshot job) {
        int completed = job.done() + job.cancelled();
        return Math.floor(1000.0 * completed / Math.max(1, job.total())) / 1000;
    }

    private static @Nullable String time(@Nullable Instant time) {
        return time == null ? null : ResultJson.time(time);
    }
}
