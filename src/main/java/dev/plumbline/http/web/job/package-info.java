/** Pages of jobs and their results. */
@NullMarked
package dev.plumbline.http.web.job;

import org.jspecify.annotations.NullMarked;
