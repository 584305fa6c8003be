/** Expressions over results, and policies of rules: pure functions from a result to a result. */
@NullMarked
package dev.plumbline.policy;

import org.jspecify.annotations.NullMarked;
