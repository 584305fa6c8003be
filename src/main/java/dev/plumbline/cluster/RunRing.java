package dev.plumbline.cluster;

import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Assigns keys to the nodes that run checks by rendezvous hashing (highest random weight): if a node joins or leaves,
 * only its own keys move. All nodes with the same version of this class assign a key to the same node. Immutable.
 */
public final class RunRing {
    private final List<String> nodes;
    private final long[] hashes;

    /** @param nodes names, in any order */
    public RunRing(Collection<String> nodes) {
        this.nodes = nodes.stream().distinct().sorted().toList();
        this.hashes = this.nodes.stream().mapToLong(RunRing::hash).toArray();
    }

    /** The names of all nodes, sorted. */
    public List<String> nodes() {
        return nodes;
    }

    /** The node to which a key is assigned; null if there are no nodes. */
    public @Nullable String owner(String key) {
        long keyHash = hash(key);
        int best = -1;
        long bestWeight = 0;
        for (int i = 0; i < hashes.length; i++) {
            long weight = weight(hashes[i], keyHash);
            if (best < 0 || weight > bestWeight) {
                best = i;
                bestWeight = weight;
            }
        }
        return best < 0 ? null : nodes.get(best);
    }

    /** All nodes in the order in which they take over a key: the owner first. */
    public List<String> order(String key) {
        long keyHash = hash(key);
        return IntStream.range(0, hashes.length)
                .boxed()
                .sorted(Comparator.comparingLong((Integer i) -> weight(hashes[i], keyHash))
                        .reversed())
                .map(nodes::get)
                .toList();
    }

    private static long hash(String text) {
        return Hashing.murmur3_128().hashString(text, StandardCharsets.UTF_8).asLong();
    }

    /** The finalizer of MurmurHash3, which spreads the combination of both hashes over all bits. */
    private static long weight(long node, long key) {
        long mixed = node ^ Long.rotateLeft(key, 32) * 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ mixed >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ mixed >>> 33;
    }
}
