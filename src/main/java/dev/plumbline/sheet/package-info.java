/** Declarations of modules: reading of sheets, binding to the class, options and headlines. */
@NullMarked
package dev.plumbline.sheet;

import org.jspecify.annotations.NullMarked;
