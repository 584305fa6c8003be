package dev.plumbline.input;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Counts the lines of a list by what a job does with them. Equal targets are found by a 64-bit hash, so the memory is
 * eight bytes for each valid line.
 */
public final class TargetCounter {
    private static final HashFunction HASH = Hashing.murmur3_128();

    private final TargetRules rules;
    private final int maxInvalid;
    private final List<TargetLines.InvalidLine> firstInvalid = new ArrayList<>();
    private long[] hashes = new long[64];
    private int valid;
    private int invalid;

    /**
     * @param rules of the module with the options of the job, which can determine the default port
     * @param maxInvalid the maximum number of invalid lines that are kept
     */
    public TargetCounter(TargetRules rules, int maxInvalid) {
        this.rules = rules;
        this.maxInvalid = maxInvalid;
    }

    public void add(TargetLines.Line line) {
        try {
            String target = TargetParser.parse(rules, line.text()).text();
            if (valid == hashes.length) {
                hashes = Arrays.copyOf(hashes, 2 * valid);
            }
            hashes[valid++] = HASH.hashUnencodedChars(target).asLong();
        } catch (InvalidTargetException e) {
            invalid++;
            if (firstInvalid.size() < maxInvalid) {
                firstInvalid.add(new TargetLines.InvalidLine(line, ExceptionMessage.of(e)));
            }
        }
    }

    public TargetLines.Counts counts() {
        int distinct = (int) Arrays.stream(hashes, 0, valid).sorted().distinct().count();
        return new TargetLines.Counts(distinct, invalid, valid - distinct, List.copyOf(firstInvalid));
    }
}
