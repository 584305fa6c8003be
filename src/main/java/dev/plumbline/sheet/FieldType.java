package dev.plumbline.sheet;

import dev.plumbline.target.LowerCaseId;

/** The type of a report field. */
public enum FieldType implements LowerCaseId {
    STRING,
    INTEGER,
    NUMBER,
    BOOLEAN,
    TIME,
    ARRAY,
    OBJECT
}
