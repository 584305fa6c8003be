package dev.plumbline.bus;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The event bus address of a message type. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface BusAddress {
    String value();
}
