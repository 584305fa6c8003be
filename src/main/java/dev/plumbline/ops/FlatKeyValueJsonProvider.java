package dev.plumbline.ops;

import ch.qos.logback.classic.spi.ILoggingEvent;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import net.logstash.logback.composite.AbstractJsonProvider;
import org.slf4j.event.KeyValuePair;

/**
 * Writes the values of a log event as top-level fields: numbers and booleans as JSON numbers and booleans, all others
 * as text. The provider of the library writes objects, for example exceptions, as nested JSON.
 */
final class FlatKeyValueJsonProvider extends AbstractJsonProvider<ILoggingEvent> {
    @Override
    public void writeTo(JsonGenerator generator, ILoggingEvent event) throws IOException {
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        if (pairs == null) {
            return;
        }
        for (KeyValuePair pair : pairs) {
            generator.writeFieldName(pair.key);
            if (pair.value instanceof Number || pair.value instanceof Boolean) {
                generator.writePOJO(pair.value);
            } else if (pair.value == null) {
                generator.writeNull();
            } else {
                generator.writeString(pair.value.toString());
            }
        }
    }
}
