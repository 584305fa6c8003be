package dev.plumbline.check;

import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.SheetText;

/** The findings of a composite: one for each cause. */
public interface PartFindings extends FindingCollector {
    void partFail(String part, SheetText finding, SheetText action);

    void partWarn(String part, SheetText finding, SheetText action);

    void partError(String part, SheetText finding, SheetText action);
}
