package dev.plumbline.sheet;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The value of a report is null only if the check has an error. The sheet declares the field without {@code ?}. A value
 * that can also be null without an error is {@code @Nullable}.
 */
@Target(ElementType.TYPE_USE)
@Retention(RetentionPolicy.CLASS)
public @interface NullOnError {}
