package dev.plumbline.bus;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * JSON form of messages: {@code {"v":2,"type":"RunCheck","body":{…}}}. Two adjacent versions of the program can
 * communicate: unknown members are ignored, and missing members get their default ({@link MessageDefaults}).
 */
final class MessageJson {
    /** The generation of the wire format and of the cluster name. Nodes of different generations do not share a bus. */
    static final int GENERATION = 2;

    private final ObjectMapper mapper = new ObjectMapper()
            .registerModule(new JavaTimeModule())
            .setAnnotationIntrospector(
                    AnnotationIntrospector.pair(new MessageDefaults(), new JacksonAnnotationIntrospector()))
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            // integer options are always long
            .enable(DeserializationFeature.USE_LONG_FOR_INTS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    private final Map<String, Class<? extends Message>> types = typesOf(Message.class);

    static Map<String, Class<? extends Message>> typesOf(Class<?> sealed) {
        Map<String, Class<? extends Message>> found = new TreeMap<>();
        for (Class<?> permitted : sealed.getPermittedSubclasses()) {
            if (permitted.isSealed()) {
                found.putAll(typesOf(permitted));
            } else {
                found.put(nameOf(permitted), permitted.asSubclass(Message.class));
            }
        }
        return Collections.unmodifiableMap(found);
    }

    private static String nameOf(Class<?> type) {
        // the name that earlier versions read
        return type == Message.CompletedCheck.class ? "CheckedRemotely" : type.getSimpleName();
    }

    private record Envelope(int v, String type, Message body) {}

    byte[] write(Message message) {
        try {
            return mapper.writeValueAsBytes(new Envelope(GENERATION, nameOf(message.getClass()), message));
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("cannot write " + message.getClass(), impossible);
        }
    }

    /**
     * Reads a message. An unknown generation or type or a malformed message is {@link Message.Unreadable}; the reply of
     * a runner without a required member is {@link Message.Unsupported}, so that the line is checked by another node.
     */
    Message read(byte[] bytes) {
        try {
            JsonNode envelope = mapper.readTree(bytes);
            int generation = envelope.path("v").asInt();
            if (generation != GENERATION) {
                return new Message.Unreadable("unsupported generation " + generation);
            }
            String name = envelope.path("type").asText();
            Class<? extends Message> type = types.get(name);
            if (type == null) {
                return new Message.Unreadable("unknown message type " + name);
            }
            JsonNode body = envelope.path("body");
            if (!body.isObject()) {
                return new Message.Unreadable("malformed message: the body is not an object");
            }
            return read(body, type);
        } catch (IOException | IllegalArgumentException malformed) {
            return new Message.Unreadable("malformed message: " + malformed.getMessage());
        }
    }

    private Message read(JsonNode body, Class<? extends Message> type) throws JsonProcessingException {
        try {
            return mapper.treeToValue(body, type);
        } catch (InvalidNullException missing) {
            if (Message.RunReply.class.isAssignableFrom(type)) {
                return new Message.Unsupported();
            }
            throw missing;
        }
    }
}
