package dev.plumbline.http.web.tool;

import dev.plumbline.http.web.layout.Labels;
import dev.plumbline.sheet.ModuleDescription;
import java.util.List;
import java.util.Map;

/**
 * The form that runs a check.
 *
 * @param target the content of the target field
 * @param open whether the options are expanded
 */
public record CheckForm(ModuleDescription module, String target, List<OptionField> options, boolean open) {

    /** @param given the option values of the request, by name */
    public static CheckForm of(ModuleDescription module, String target, Map<String, String> given) {
        List<OptionField> options = OptionField.of(module, given);
        return new CheckForm(module, target, options, options.stream().anyMatch(OptionField::notable));
    }

    public String action() {
        return "/check/" + module.module();
    }

    public String label() {
        return Labels.inputType(module.input());
    }
}
