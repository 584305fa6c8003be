package dev.plumbline.bus;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** JSON form of messages: {@code {"v":1,"type":"RunCheck","body":{…}}}. Unknown versions and types are rejected. */
final class MessageJson {
    private static final int VERSION = 1;

    private final ObjectMapper mapper = new ObjectMapper()
            .registerModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    private final Map<String, Class<? extends Message>> types = typesOf(Message.class);

    /** All message types by simple name. */
    static Map<String, Class<? extends Message>> typesOf(Class<?> sealed) {
        Map<String, Class<? extends Message>> found = new TreeMap<>();
        for (Class<?> permitted : sealed.getPermittedSubclasses()) {
            if (permitted.isSealed()) {
                found.putAll(typesOf(permitted));
            } else {
                found.put(permitted.getSimpleName(), permitted.asSubclass(Message.class));
            }
        }
        return Collections.unmodifiableMap(found);
    }

    byte[] write(Message message) {
        ObjectNode envelope = mapper.createObjectNode();
        envelope.put("v", VERSION);
        envelope.put("type", message.getClass().getSimpleName());
        envelope.set("body", mapper.valueToTree(message));
        try {
            return mapper.writeValueAsBytes(envelope);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("cannot write " + message.getClass(), impossible);
        }
    }

    Message read(byte[] bytes) {
        try {
            JsonNode envelope = mapper.readTree(bytes);
            int version = envelope.path("v").asInt();
            if (version != VERSION) {
                throw new IllegalArgumentException("unsupported message version " + version);
            }
            String name = envelope.path("type").asText();
            Class<? extends Message> type = types.get(name);
            if (type == null) {
                throw new IllegalArgumentException("unknown message type " + name);
            }
            return mapper.treeToValue(envelope.get("body"), type);
        } catch (java.io.IOException broken) {
            throw new IllegalArgumentException("malformed message", broken);
        }
    }
}
