/**
 * Definition of a check: module, target, options, fields, findings, result, and target policy. From Vert.x it uses only
 * {@code Future}.
 */
@NullMarked
package dev.plumbline.check;

import org.jspecify.annotations.NullMarked;
