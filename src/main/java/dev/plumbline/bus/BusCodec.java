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
        int available = buffer.length() - position - 4;
        int length = available < 0 ? -1 : buffer.getInt(position);
        // checked before the bytes are copied, because an array of an invalid length could exhaust the memory
        if (length < 0 || length > available) {
            return new Message.Unreadable("malformed message: invalid length");
        }
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
