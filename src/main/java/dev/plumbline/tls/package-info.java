/**
 * What certificates say and whether they may be believed: reading them, building a path to a known
 * root, and naming what is wrong. Pure; knows no network.
 */
@NullMarked
package dev.plumbline.tls;

import org.jspecify.annotations.NullMarked;
