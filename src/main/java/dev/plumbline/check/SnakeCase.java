package dev.plumbline.check;

/** The spelling of names in sheets, results and CSV. */
final class SnakeCase {
    private SnakeCase() {}

    /** {@code maxAge} and {@code MaxAge} → {@code max_age}; {@code sha256} stays. */
    static String of(String camelCase) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < camelCase.length(); i++) {
            char c = camelCase.charAt(i);
            if (Character.isUpperCase(c)) {
                out.append(i == 0 ? "" : "_").append(Character.toLowerCase(c));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }
}
