/** The report formats of the command line. */
@NullMarked
package dev.plumbline.cli.report;

import org.jspecify.annotations.NullMarked;
