/** Checks of HTTP responses and web pages. */
@NullMarked
package dev.plumbline.module.web;

import org.jspecify.annotations.NullMarked;
