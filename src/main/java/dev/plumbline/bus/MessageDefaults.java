package dev.plumbline.bus;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import dev.plumbline.result.LimitWait;
import java.lang.reflect.Executable;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Defaults of members that a message of an older version does not have, or that are null and must not be: empty text,
 * list or map, 0, false, {@link LimitWait#NONE}, and null if the member is nullable. Enums, times, bytes and other
 * records have no default, because a missing verdict must not become {@code pass}.
 */
final class MessageDefaults extends NopAnnotationIntrospector {
    private static final long serialVersionUID = 1;

    @Override
    public JsonSetter.Value findSetterInfo(Annotated member) {
        if (!(member instanceof AnnotatedParameter parameter) || isNullable(parameter)) {
            return JsonSetter.Value.empty();
        }
        Class<?> type = parameter.getRawType();
        boolean required = type.isEnum()
                || type == Instant.class
                || type == byte[].class
                || type.isRecord() && type != LimitWait.class;
        return JsonSetter.Value.forValueNulls(required ? Nulls.FAIL : Nulls.AS_EMPTY);
    }

    private static boolean isNullable(AnnotatedParameter parameter) {
        Executable constructor = (Executable) parameter.getOwner().getMember();
        return constructor.getAnnotatedParameterTypes()[parameter.getIndex()].isAnnotationPresent(Nullable.class);
    }
}
