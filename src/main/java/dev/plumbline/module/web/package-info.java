/** Checks of web pages. Each module is one file; none knows another. */
@NullMarked
package dev.plumbline.module.web;

import org.jspecify.annotations.NullMarked;
