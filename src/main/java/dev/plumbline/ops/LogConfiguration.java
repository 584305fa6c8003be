package dev.plumbline.ops;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import dev.plumbline.config.Config;
import net.logstash.logback.composite.JsonProviders;
import net.logstash.logback.composite.loggingevent.LogLevelJsonProvider;
import net.logstash.logback.composite.loggingevent.LoggerNameJsonProvider;
import net.logstash.logback.composite.loggingevent.LoggingEventFormattedTimestampJsonProvider;
import net.logstash.logback.composite.loggingevent.MessageJsonProvider;
import net.logstash.logback.composite.loggingevent.StackTraceJsonProvider;
import net.logstash.logback.encoder.LoggingEventCompositeJsonEncoder;
import org.slf4j.LoggerFactory;

/** Configures logging to stderr. A blocked reader of stderr does not block the service. */
public final class LogConfiguration {
    private static final int QUEUE_SIZE = 8192;

    /** RFC 3339 in UTC. */
    private static final String TIME_PATTERN = "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'";

    // line breaks are replaced to prevent log injection
    private static final String TEXT_PATTERN = "%d{" + TIME_PATTERN + ", UTC} %-5level %logger{0}"
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
        // The cluster reports its members itself; Hazelcast repeats each failed connection and warns of unused
        // features. With debug, its own account of joining, suspecting and merging is logged.
        context.getLogger("com.hazelcast").setLevel(level == Level.DEBUG ? Level.INFO : Level.ERROR);
        // logs a failed start with a stack trace; the start reports it in one line
        context.getLogger("io.vertx.core.impl.VertxImpl").setLevel(Level.OFF);
        // logs an invalid HTTP/2 frame of a client, and failures of targets, as errors with a stack trace
        context.getLogger("io.vertx.core.net.impl.ConnectionBase").setLevel(Level.OFF);
        // the access log depends on log.access only, not on log.level
        context.getLogger(Config.LogSettings.ACCESS_LOGGER).setLevel(Level.INFO);
    }

    /** Writes buffered events and stops logging. */
    public static void flush() {
        ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
    }

    static Encoder<ILoggingEvent> encoder(Config.LogSettings config, LoggerContext context) {
        if (config.format().equals("json")) {
            LoggingEventCompositeJsonEncoder json = new LoggingEventCompositeJsonEncoder();
            json.setContext(context);
            addFields(json.getProviders());
            json.start();
            return json;
        }
        PatternLayoutEncoder text = new PatternLayoutEncoder();
        text.setContext(context);
        text.setPattern(TEXT_PATTERN);
        text.start();
        return text;
    }

    private static void addFields(JsonProviders<ILoggingEvent> fields) {
        LoggingEventFormattedTimestampJsonProvider time = new LoggingEventFormattedTimestampJsonProvider();
        time.setFieldName("time");
        time.setPattern(TIME_PATTERN);
        time.setTimeZone("UTC");
        fields.addProvider(time);
        fields.addProvider(new LogLevelJsonProvider());
        LoggerNameJsonProvider logger = new LoggerNameJsonProvider();
        logger.setFieldName("logger");
        fields.addProvider(logger);
        fields.addProvider(new MessageJsonProvider());
        fields.addProvider(new FlatKeyValueJsonProvider());
        fields.addProvider(new StackTraceJsonProvider());
    }
}
