/** The pages of policies. */
@NullMarked
package dev.plumbline.http.web.policy;

import org.jspecify.annotations.NullMarked;
