/** Nodes of a deployment: lease, membership, routing of checks, and discovery through the database. */
@NullMarked
package dev.plumbline.cluster;

import org.jspecify.annotations.NullMarked;
