/** Servers on loopback whose truth is known by construction, good ones and hostile ones. */
@NullMarked
package dev.plumbline.lab;

import org.jspecify.annotations.NullMarked;
