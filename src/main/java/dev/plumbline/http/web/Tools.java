package dev.plumbline.http.web;

import dev.plumbline.check.Description;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Tools in their groups.
 *
 * @param query what was searched for; empty for nothing
 */
public record Tools(String query, List<Group> groups, int count) {
  private static final List<String> ORDER =
      List.of("web", "tls", "dns", "mail", "registry", "network");

  /** Tools of one kind. */
  public record Group(String id, String title, List<Description> tools) {}

  /** Those in which every word is found. */
  static Tools matching(List<Description> all, String query) {
    List<Description> found =
        all.stream().filter(tool -> matches(tool, query.toLowerCase(Locale.ROOT))).toList();
    Map<String, List<Description>> byCategory = new LinkedHashMap<>();
    ORDER.forEach(id -> byCategory.put(id, new ArrayList<>()));
    found.forEach(
        tool -> byCategory.computeIfAbsent(tool.category(), id -> new ArrayList<>()).add(tool));
    List<Group> groups = new ArrayList<>();
    byCategory.forEach(
        (id, tools) -> {
          if (!tools.isEmpty()) {
            groups.add(new Group(id, Kinds.category(id), tools));
          }
        });
    return new Tools(query, groups, found.size());
  }

  private static boolean matches(Description tool, String query) {
    String text =
        String.join(
                " ",
                tool.module(),
                tool.title(),
                tool.summary(),
                tool.category(),
                Kinds.category(tool.category()),
                Kinds.name(tool.input()),
                String.join(" ", tool.fields().stream().map(field -> field.title()).toList()))
            .toLowerCase(Locale.ROOT);
    for (String word : query.strip().split("\\s+", -1)) {
      if (!text.contains(word)) {
        return false;
      }
    }
    return true;
  }
}
