package dev.plumbline.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/** Every message is equal after encoding and decoding: with any text, instants, nulls and large numbers. */
class MessageWireTest {
    private static final long[] NUMBERS = {
        0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 1L << 53, (1L << 53) + 1, Long.MAX_VALUE, Long.MIN_VALUE
    };
    private static final int[] CHARACTERS = {'a', '"', '\\', 0, '\n', 0x7f, 0xe9, 0x2028, 0xfffd, 0x1f600};

    private final BusCodec codec = new BusCodec();

    @Provide
    Arbitrary<Message> messages() {
        List<Class<? extends Message>> types =
                List.copyOf(MessageJson.typesOf(Message.class).values());
        return Arbitraries.randomValue(random -> (Message) record(types.get(random.nextInt(types.size())), random));
    }

    @Property(tries = 2_000)
    void messagesAreEqualAfterEncodingAndDecoding(@ForAll("messages") Message message) {
        Buffer wire = Buffer.buffer("prefix");
        codec.encodeToWire(wire, message);

        Message transferred = codec.decodeFromWire(6, wire);

        assertThat(transferred)
                .usingRecursiveComparison()
                .withStrictTypeChecking()
                .isEqualTo(message);
    }

    private static Object record(Class<?> type, Random random) {
        RecordComponent[] members = type.getRecordComponents();
        Object[] values = Arrays.stream(members)
                .map(member ->
                        isNullable(member) && random.nextInt(3) == 0 ? null : value(member.getGenericType(), random))
                .toArray();
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(
                    Arrays.stream(members).map(RecordComponent::getType).toArray(Class<?>[]::new));
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the record cannot be created", e);
        }
    }

    private static boolean isNullable(RecordComponent member) {
        return member.getAnnotatedType().isAnnotationPresent(Nullable.class);
    }

    private static Object value(Type type, Random random) {
        if (type instanceof ParameterizedType generic) {
            Type last = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
            return generic.getRawType() == List.class ? list(last, random) : map(random);
        }
        Class<?> raw = (Class<?>) type;
        if (raw == String.class) {
            return text(random);
        } else if (raw == boolean.class) {
            return random.nextBoolean();
        } else if (raw == int.class || raw == Integer.class) {
            return (int) number(random);
        } else if (raw == long.class || raw == Long.class) {
            return number(random);
        } else if (raw == Instant.class) {
            return Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
        } else if (raw == byte[].class) {
            byte[] bytes = new byte[random.nextInt(50)];
            random.nextBytes(bytes);
            return bytes;
        } else if (raw.isEnum()) {
            return raw.getEnumConstants()[random.nextInt(raw.getEnumConstants().length)];
        }
        return record(raw, random);
    }

    private static List<Object> list(Type item, Random random) {
        List<Object> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            list.add(value(item, random));
        }
        return list;
    }

    /** Options of a module: booleans, integers, texts and lists of texts. */
    private static Map<String, Object> map(Random random) {
        Map<String, Object> options = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            options.put(
                    text(random),
                    switch (random.nextInt(4)) {
                        case 0 -> random.nextBoolean();
                        case 1 -> number(random);
                        case 2 -> text(random);
                        default -> list(String.class, random);
                    });
        }
        return options;
    }

    private static long number(Random random) {
        return random.nextBoolean() ? NUMBERS[random.nextInt(NUMBERS.length)] : random.nextLong();
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        IntStream.range(0, random.nextInt(6))
                .forEach(i -> text.appendCodePoint(CHARACTERS[random.nextInt(CHARACTERS.length)]));
        return text.toString();
    }
}
