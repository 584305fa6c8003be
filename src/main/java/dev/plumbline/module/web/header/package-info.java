/** Header fields that several modules parse. */
@NullMarked
package dev.plumbline.module.web.header;

import org.jspecify.annotations.NullMarked;
