/** The module {@code sitemap}. */
@NullMarked
package dev.plumbline.module.web.sitemap;

import org.jspecify.annotations.NullMarked;
