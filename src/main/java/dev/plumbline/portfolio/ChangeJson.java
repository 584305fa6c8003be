package dev.plumbline.portfolio;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.plumbline.portfolio.LineChange.FieldChange;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes as one JSON object with the members of a comparison of the API. The lines precede their counts. */
public final class ChangeJson implements ChangeReport {
    private static final JsonMapper JSON = new JsonMapper();

    private final Writer out;
    private boolean begun;

    public ChangeJson(Compared compared, Writer out) throws IOException {
        this.out = out;
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("token", compared.token());
        members.put("against", compared.against());
        members.put("module", compared.module());
        members.put("options_differ", options(compared.optionsDiffer()));
        String json = text(members);
        out.write(json, 0, json.length() - 1);
        out.write(",\"lines\":[");
    }

    /** One JSON object per change, without counts. */
    public static ChangeReport lines(Writer out) {
        return new ChangeReport() {
            @Override
            public void line(LineChange change) throws IOException {
                out.write(text(change.toMap()) + '\n');
            }

            @Override
            public void end(ChangeCounts counts, @Nullable String nextCursor) {
                // the lines are complete
            }
        };
    }

    private static @Nullable List<Map<String, @Nullable Object>> options(@Nullable List<FieldChange> differ) {
        if (differ == null) {
            return null;
        }
        List<Map<String, @Nullable Object>> options = new ArrayList<>();
        for (FieldChange option : differ) {
            options.add(option.toMap());
        }
        return options;
    }

    /** A value as JSON. */
    public static String text(@Nullable Object value) throws JsonProcessingException {
        return JSON.writeValueAsString(value);
    }

    @Override
    public void line(LineChange change) throws IOException {
        out.write(begun ? ",\n" : "\n");
        out.write(text(change.toMap()));
        begun = true;
    }

    @Override
    public void end(ChangeCounts counts, @Nullable String nextCursor) throws IOException {
        out.write((begun ? "\n" : "") + "],\"counts\":" + text(counts.toMap()) + ",\"next_cursor\":" + text(nextCursor)
                + "}\n");
    }
}
