package dev.plumbline.http.web;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A line of a job, with as much of its result as a table and its plots need.
 *
 * @param index from 0
 * @param target null without a result, and where the line is none
 * @param state as the API calls it
 * @param verdict null without a result
 * @param says the worst that was found, or why there is no verdict; null if there is nothing to say
 * @param tookMs null without a result
 * @param fields the values of the columns that are not null, and those that are plotted
 */
record JobRow(
    int index,
    String input,
    @Nullable String target,
    String state,
    @Nullable String verdict,
    @Nullable String says,
    @Nullable Long tookMs,
    Map<String, Object> fields) {

  boolean done() {
    return verdict != null;
  }

  /** Whether the text is found in it; in small letters. */
  boolean has(String text) {
    return lower(input).contains(text)
        || lower(target).contains(text)
        || lower(says).contains(text);
  }

  private static String lower(@Nullable String text) {
    return text == null ? "" : text.toLowerCase(java.util.Locale.ROOT);
  }
}
