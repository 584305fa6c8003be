/** The Robots Exclusion Protocol (RFC 9309): parsing and matching of robots.txt files. It does no I/O. */
@NullMarked
package dev.plumbline.robots;

import org.jspecify.annotations.NullMarked;
