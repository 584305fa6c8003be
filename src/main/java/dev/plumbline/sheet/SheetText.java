package dev.plumbline.sheet;

/**
 * A value for a placeholder that is inserted unchanged, with its code spans: a text of a sheet or of the finding of a
 * part, which is printable and short.
 */
public record SheetText(String text) {}
