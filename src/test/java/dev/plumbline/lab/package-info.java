/** Regular and hostile servers on loopback with known expected results. */
@NullMarked
package dev.plumbline.lab;

import org.jspecify.annotations.NullMarked;
