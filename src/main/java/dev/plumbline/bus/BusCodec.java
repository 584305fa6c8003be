package dev.plumbline.bus;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;

/** Passes messages by reference within a node and as versioned JSON between nodes. */
final class BusCodec implements MessageCodec<Message, Message> {
    static final String NAME = "plumbline";

    private final MessageJson wire = new MessageJson();

    @Override
    public void encodeToWire(Buffer buffer, Message message) {
        byte[] bytes = wire.write(message);
        buffer.appendInt(bytes.length).appendBytes(bytes);
    }

    @Override
    public Message decodeFromWire(int position, Buffer buffer) {
        int length = buffer.getInt(position);
        return wire.read(buffer.getBytes(position + 4, position + 4 + length));
    }

    @Override
    public Message transform(Message message) {
        return message;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public byte systemCodecID() {
        return -1;
    }
}
