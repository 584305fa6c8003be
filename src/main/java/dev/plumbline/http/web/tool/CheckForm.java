package dev.plumbline.http.web.tool;

import dev.plumbline.check.ModuleDescription;
import dev.plumbline.http.web.layout.InputTypeLabels;
import java.util.List;
import java.util.Map;

/**
 * The form that has a tool run: its target and its options.
 *
 * @param target what stands in it
 * @param open whether the options are shown at once
 */
public record CheckForm(ModuleDescription module, String target, List<OptionField> options, boolean open) {

    public static CheckForm of(ModuleDescription module, String target, Map<String, String> given) {
        List<OptionField> options = OptionField.of(module, given);
        boolean open = options.stream().anyMatch(option -> option.changed() || option.wrong() != null);
        return new CheckForm(module, target, options, open);
    }

    public String action() {
        return "/check/" + module.module();
    }

    /** What a target of this tool is called. */
    public String label() {
        return InputTypeLabels.name(module.input());
    }
}
