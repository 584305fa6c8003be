package dev.plumbline.target;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.sheet.ModuleDescription;

/** Assertions about targets. */
final class TargetAsserts {
    private TargetAsserts() {}

    /** The normalized text, which must parse to an equal target. */
    static String normal(ModuleDescription module, String raw) throws InvalidTargetException {
        Target target = TargetParser.parse(module, raw);
        assertThat(TargetParser.parse(module, target.text())).isEqualTo(target);
        return target.text();
    }
}
