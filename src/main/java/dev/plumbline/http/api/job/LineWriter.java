package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import io.vertx.core.buffer.Buffer;

/** How the lines of one job are put into bytes, for one answer. */
interface LineWriter {
    /** Writes what stands before the first line. */
    void begin(Buffer out);

    /** Writes the next line. */
    void line(Buffer out, JobMessage.ResultLine line);

    /** Writes what stands behind the last line. */
    void end(Buffer out);
}
