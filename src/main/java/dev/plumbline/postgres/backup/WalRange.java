package dev.plumbline.postgres.backup;

import java.util.ArrayList;
import java.util.List;

/**
 * The WAL segments between two log sequence numbers.
 *
 * @param timeline the timeline ID
 * @param segmentSize in bytes
 * @param start the first byte
 * @param end the byte after the last one
 */
record WalRange(long timeline, long segmentSize, long start, long end) {
    private static final long LOG_FILE_SIZE = 1L << 32;

    /** Parses the text form of {@code pg_lsn}, such as {@code 16/B374D848}. */
    static long position(String lsn) {
        int slash = lsn.indexOf('/');
        return Long.parseLong(lsn.substring(0, slash), 16) << 32 | Long.parseLong(lsn.substring(slash + 1), 16);
    }

    List<String> segments() {
        List<String> names = new ArrayList<>();
        long perLogFile = LOG_FILE_SIZE / segmentSize;
        for (long segment = start / segmentSize; segment <= (end - 1) / segmentSize; segment++) {
            names.add("%08X%08X%08X".formatted(timeline, segment / perLogFile, segment % perLogFile));
        }
        return names;
    }
}
