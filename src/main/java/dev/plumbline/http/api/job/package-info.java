/** Operations of jobs and their result formats. */
@NullMarked
package dev.plumbline.http.api.job;

import org.jspecify.annotations.NullMarked;
