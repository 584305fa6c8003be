/** Results as tables: the columns of CSV and XLSX files, and XLSX workbooks. */
@NullMarked
package dev.plumbline.spreadsheet;

import org.jspecify.annotations.NullMarked;
