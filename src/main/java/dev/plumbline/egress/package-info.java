/**
 * The only way to a target: address classification, rate and concurrency limits, own endpoints and registrable domains.
 */
@NullMarked
package dev.plumbline.egress;

import org.jspecify.annotations.NullMarked;
