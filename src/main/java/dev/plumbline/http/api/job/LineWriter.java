package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import io.vertx.core.buffer.Buffer;

/** Serializes the lines of a job into a response body. */
interface LineWriter {
    /** Writes the text before the first line. */
    default void begin(Buffer out) {}

    void line(Buffer out, JobMessage.ResultLine line);

    /** Writes the text after the last line. */
    default void end(Buffer out) {}
}
