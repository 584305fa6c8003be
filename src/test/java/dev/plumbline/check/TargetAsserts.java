package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

/** What the tests of targets share. */
final class TargetAsserts {
    private TargetAsserts() {}

    /** The normalised spelling, which must parse to the same again. */
    static String normal(ModuleDescription module, String raw) throws InvalidTargetException {
        Target target = TargetParser.parse(module, raw);
        assertThat(TargetParser.parse(module, target.text())).isEqualTo(target);
        return target.text();
    }
}
