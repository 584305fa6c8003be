/** Properties of HTML pages that several modules use. */
@NullMarked
package dev.plumbline.module.web.page;

import org.jspecify.annotations.NullMarked;
