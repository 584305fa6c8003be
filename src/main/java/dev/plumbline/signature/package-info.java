/** Verification of digital signatures with a native library or the JDK, and a cache of the results. */
@org.jspecify.annotations.NullMarked
package dev.plumbline.signature;
