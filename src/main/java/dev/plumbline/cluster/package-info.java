/** Nodes: lease, membership, discovery through the database, routing of checks, and permits of other nodes. */
@NullMarked
package dev.plumbline.cluster;

import org.jspecify.annotations.NullMarked;
