package dev.plumbline.check;

import org.jspecify.annotations.Nullable;

/**
 * One thing that a check noticed and what to do about it.
 *
 * @param field the field it speaks of, null when it speaks of the whole
 * @param reference the standard it rests on (RFC and section), null when there is none
 */
public record Finding(
        Level level, String code, @Nullable String field, String message, String action, @Nullable String reference) {}
