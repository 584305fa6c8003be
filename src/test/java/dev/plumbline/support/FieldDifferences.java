package dev.plumbline.support;

import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FieldChanges;
import dev.plumbline.sheet.ModuleDescription;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Describes the differences between two results of a module. */
public final class FieldDifferences {
    private FieldDifferences() {}

    /** A line for each field that is not volatile and differs, and for different errors. */
    public static List<String> between(ModuleDescription module, CheckResult before, CheckResult after) {
        Stream<String> fields = FieldChanges.between(module.fields(), before.fields(), after.fields()).stream()
                .map(field -> "%s %s: %s: %s, then %s"
                        .formatted(
                                module.module(),
                                before.target(),
                                field.name(),
                                before.fields().get(field.name()),
                                after.fields().get(field.name())));
        Stream<String> error = Objects.equals(code(before), code(after))
                ? Stream.empty()
                : Stream.of("%s %s: error: %s, then %s"
                        .formatted(module.module(), before.target(), before.error(), after.error()));
        return Stream.concat(fields, error).toList();
    }

    private static @Nullable ErrorCode code(CheckResult result) {
        return result.error() == null ? null : result.error().code();
    }
}
