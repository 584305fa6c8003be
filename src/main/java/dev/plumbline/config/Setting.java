package dev.plumbline.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The valid values of a setting. The record component has the name of the setting in camel case; its type decides how
 * the value is read. An empty value of a nullable component is null.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
@interface Setting {
    /** The format of a text, of a path, or of each item of a list. */
    SettingFormat value() default SettingFormat.NUMBER;

    /** The smallest valid integer or duration. */
    String min() default "";

    /** The largest valid integer or duration. */
    String max() default "";

    /** What an integer is. */
    String unit() default "an integer";

    /** What 0 means, if it has a meaning of its own. */
    String zero() default "";

    /** The full name of the setting, if it belongs to another section than its record. */
    String key() default "";
}
