/** Budgets of a node: memory and CPU time of checks. */
@NullMarked
package dev.plumbline.budget;

import org.jspecify.annotations.NullMarked;
