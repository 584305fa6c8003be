package dev.plumbline.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a result within 64 KiB of JSON: the longest arrays are cut first, then long strings, and
 * what was cut is named.
 */
final class ResultSize {
  /** The most that fields and findings may take as JSON, in bytes; the rest is for the envelope. */
  static final int MOST = 60 * 1024;

  private static final int LONG_TEXT = 1024;

  private ResultSize() {}

  /** What is left of the fields, and the paths of what was cut. */
  record Cut(Map<String, @Nullable Object> fields, List<String> truncated) {}

  static Cut cut(Map<String, @Nullable Object> fields, int taken) {
    int budget = MOST - taken;
    if (size(fields) <= budget) {
      return new Cut(fields, List.of());
    }
    Map<String, @Nullable Object> kept = new LinkedHashMap<>(fields);
    List<String> truncated = new ArrayList<>();
    while (size(kept) > budget) {
      String largest = largest(kept);
      Object value = kept.get(largest);
      if (size(value) <= 64) {
        break;
      }
      kept.put(largest, halve(value));
      if (!truncated.contains(largest)) {
        truncated.add(largest);
      }
    }
    return new Cut(kept, truncated);
  }

  private static String largest(Map<String, @Nullable Object> fields) {
    String largest = "";
    int most = -1;
    for (Map.Entry<String, @Nullable Object> entry : fields.entrySet()) {
      int size = size(entry.getValue());
      if (size > most) {
        most = size;
        largest = entry.getKey();
      }
    }
    return largest;
  }

  private static @Nullable Object halve(@Nullable Object value) {
    if (value instanceof List<?> list) {
      if (list.size() > 1) {
        return new ArrayList<>(list.subList(0, list.size() / 2));
      }
      return list.stream().map(ResultSize::halve).toList();
    }
    if (value instanceof String text) {
      return shorten(text, Math.max(16, text.length() / 2));
    }
    if (value instanceof Map<?, ?> map) {
      return halveMap(map);
    }
    return null;
  }

  private static Map<Object, @Nullable Object> halveMap(Map<?, ?> map) {
    Map<Object, @Nullable Object> kept = new LinkedHashMap<>();
    boolean longTexts = map.values().stream().anyMatch(v -> size(v) > LONG_TEXT);
    int room = longTexts ? map.size() : Math.max(0, map.size() / 2);
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (kept.size() >= room) {
        break;
      }
      Object value = entry.getValue();
      kept.put(entry.getKey(), size(value) > LONG_TEXT ? halve(value) : value);
    }
    return kept;
  }

  /** Cuts between characters, never inside a surrogate pair. */
  private static String shorten(String text, int length) {
    if (text.length() <= length) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length;
    return text.substring(0, end);
  }

  /** An upper bound of the bytes that a value takes as JSON. */
  static int size(@Nullable Object value) {
    if (value instanceof String text) {
      int bytes = 2;
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        bytes += c < 0x20 ? 6 : c == '"' || c == '\\' ? 2 : c < 0x80 ? 1 : 3;
      }
      return bytes;
    }
    if (value instanceof List<?> list) {
      int bytes = 2;
      for (Object item : list) {
        bytes += 1 + size(item);
      }
      return bytes;
    }
    if (value instanceof Map<?, ?> map) {
      int bytes = 2;
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        bytes += 2 + size(entry.getKey()) + size(entry.getValue());
      }
      return bytes;
    }
    return 26;
  }
}
