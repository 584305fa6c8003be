/** Verifies digital signatures with a native library where there is one, and remembers the results. */
@org.jspecify.annotations.NullMarked
package dev.plumbline.signature;
