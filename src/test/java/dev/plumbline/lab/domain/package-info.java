/**
 * A complete domain on loopback addresses (website, nameservers, mail server and registration) for checks of
 * {@code overview}, and its faults.
 */
@NullMarked
package dev.plumbline.lab.domain;

import org.jspecify.annotations.NullMarked;
