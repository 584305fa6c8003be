package dev.plumbline.module.web;

/** Status codes in the format of the option {@code expect_status}: codes, ranges and classes. */
final class StatusRanges {
    private StatusRanges() {}

    /** @param ranges for example {@code 200,301-308,4xx} */
    static boolean contain(String ranges, int status) {
        for (String part : ranges.split(",", -1)) {
            String[] range = part.replace("xx", "00").split("-", -1);
            int first = Integer.parseInt(range[0]);
            int last = part.endsWith("xx") ? first + 99 : Integer.parseInt(range[range.length - 1]);
            if (status >= first && status <= last) {
                return true;
            }
        }
        return false;
    }
}
