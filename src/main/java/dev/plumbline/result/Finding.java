package dev.plumbline.result;

import org.jspecify.annotations.Nullable;

/**
 * A problem or observation of a check, and the action to take.
 *
 * @param field the field it refers to; null if it refers to the whole report
 * @param reference the standard behind it, such as an RFC and section; null if there is none
 */
public record Finding(
        Level level, String code, @Nullable String field, String message, String action, @Nullable String reference) {}
