/** Processing of jobs: chunk claims, fair line dispatch, crash recovery and result writes. */
@NullMarked
package dev.plumbline.job.coordinate;

import org.jspecify.annotations.NullMarked;
