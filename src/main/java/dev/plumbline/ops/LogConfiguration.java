package dev.plumbline.ops;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.EncoderBase;
import dev.plumbline.config.Config;
import org.slf4j.LoggerFactory;

/** Configures logging to stderr. A blocked reader of stderr does not block the service. */
public final class LogConfiguration {
    private static final int QUEUE_SIZE = 8192;

    // line breaks are replaced to prevent log injection
    private static final String TEXT_PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSS'Z', UTC} %-5level %logger{0}"
            + " %replace(%replace(%msg %kvp){'[\\r\\n]+', ' '}){' $', ''}%n%ex";

    private LogConfiguration() {}

    public static void configure(Config.LogSettings config) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setContext(context);
        console.setTarget("System.err");
        console.setEncoder(encoder(config, context));
        console.start();
        AsyncAppender async = new AsyncAppender();
        async.setContext(context);
        async.setQueueSize(QUEUE_SIZE);
        async.setNeverBlock(true);
        async.addAppender(console);
        async.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Level level = Level.toLevel(config.level());
        root.setLevel(level.isGreaterOrEqual(Level.WARN) ? level : Level.WARN);
        root.addAppender(async);
        context.getLogger("dev.plumbline").setLevel(level);
    }

    /** Writes buffered events and stops logging. */
    public static void flush() {
        ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
    }

    private static EncoderBase<ILoggingEvent> encoder(Config.LogSettings config, LoggerContext context) {
        if (config.format().equals("json")) {
            JsonEncoder json = new JsonEncoder();
            json.setContext(context);
            json.setWithFormattedMessage(true);
            json.setWithMessage(false);
            json.setWithContext(false);
            json.setWithSequenceNumber(false);
            json.setWithNanoseconds(false);
            json.start();
            return json;
        }
        PatternLayoutEncoder text = new PatternLayoutEncoder();
        text.setContext(context);
        text.setPattern(TEXT_PATTERN);
        text.start();
        return text;
    }
}
