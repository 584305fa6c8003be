package dev.plumbline.postgres.backup;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WalRangeTest {
    private static final long SEGMENT = 16L << 20;

    @Test
    void segmentsIncludeFirstAndLastPosition() {
        assertThat(range("0/1000028", "0/3000100").segments())
                .containsExactly("000000010000000000000001", "000000010000000000000002", "000000010000000000000003");
    }

    @Test
    void endOnASegmentBoundaryExcludesTheNextSegment() {
        assertThat(range("0/1000028", "0/2000000").segments()).containsExactly("000000010000000000000001");
    }

    @Test
    void segmentsContinueInTheNextLogFile() {
        assertThat(range("16/FF000000", "17/1").segments())
                .containsExactly("0000000100000016000000FF", "000000010000001700000000");
    }

    private static WalRange range(String start, String end) {
        return new WalRange(1, SEGMENT, WalRange.position(start), WalRange.position(end));
    }
}
