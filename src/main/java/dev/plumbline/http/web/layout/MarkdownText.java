package dev.plumbline.http.web.layout;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Words of openapi.json, in which what stands between backticks is code. */
public record MarkdownText(List<Run> runs) {

    /** A part of them. */
    public record Run(String text, boolean code) {}

    public static MarkdownText of(@Nullable String words) {
        List<Run> runs = new ArrayList<>();
        String[] parts = words == null ? new String[0] : words.split("`", -1);
        for (int i = 0; i < parts.length; i++) {
            if (!parts[i].isEmpty()) {
                runs.add(new Run(parts[i], i % 2 == 1));
            }
        }
        return new MarkdownText(List.copyOf(runs));
    }

    public boolean empty() {
        return runs.isEmpty();
    }
}
