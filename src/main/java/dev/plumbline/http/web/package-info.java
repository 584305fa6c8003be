/** The pages that people read: one small class a page, templates in src/main/jte. */
@NullMarked
package dev.plumbline.http.web;

import org.jspecify.annotations.NullMarked;
