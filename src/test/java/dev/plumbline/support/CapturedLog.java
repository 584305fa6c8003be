package dev.plumbline.support;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.LoggerFactory;

/** Captures all log events of this process, including trace level, until it is closed. */
public final class CapturedLog implements AutoCloseable {
    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final OutputStreamAppender<ILoggingEvent> everything = new OutputStreamAppender<>();
    private final Level before = root.getLevel();

    public CapturedLog() {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(root.getLoggerContext());
        encoder.setPattern("%level %msg %kvp %ex%n");
        encoder.start();
        everything.setContext(root.getLoggerContext());
        everything.setEncoder(encoder);
        everything.setOutputStream(log);
        everything.start();
        root.addAppender(everything);
        root.setLevel(Level.DEBUG);
    }

    public String text() {
        return log.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        root.setLevel(before);
        root.detachAppender(everything);
    }
}
