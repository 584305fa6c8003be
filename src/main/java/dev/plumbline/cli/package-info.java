/** The commands of the command line, their options and terminal reports. */
@NullMarked
package dev.plumbline.cli;

import org.jspecify.annotations.NullMarked;
