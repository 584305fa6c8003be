/**
 * Checks of web pages. Each module is one class found by {@link java.util.ServiceLoader}, with its
 * description and judgement beside it; none knows another.
 */
@NullMarked
package dev.plumbline.module.web;

import org.jspecify.annotations.NullMarked;
