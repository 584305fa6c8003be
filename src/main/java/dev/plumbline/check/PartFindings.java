package dev.plumbline.check;

/** The findings of a composite about its parts: one for each part that did not pass. */
public interface PartFindings extends FindingCollector {
    void partFail(String part, SheetText finding, SheetText action);

    void partWarn(String part, SheetText finding, SheetText action);

    void partError(String part, SheetText error);
}
