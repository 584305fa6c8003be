package dev.plumbline.http.web;

import dev.plumbline.check.Description;
import java.util.List;
import java.util.Map;

/**
 * The form that has a tool run: its target and its options.
 *
 * @param target what stands in it
 * @param open whether the options are shown at once
 */
public record CheckForm(
    Description module, String target, List<OptionField> options, boolean open) {

  static CheckForm of(Description module, String target, Map<String, String> given) {
    List<OptionField> options = OptionField.of(module, given);
    boolean open = options.stream().anyMatch(option -> option.changed() || option.wrong() != null);
    return new CheckForm(module, target, options, open);
  }

  public String action() {
    return "/check/" + module.module();
  }

  /** What a target of this tool is called. */
  public String label() {
    return Kinds.name(module.input());
  }
}
