/** Results of checks: verdict, findings, errors and their serialized form. Pure. */
@NullMarked
package dev.plumbline.result;

import org.jspecify.annotations.NullMarked;
