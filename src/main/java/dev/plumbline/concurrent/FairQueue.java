package dev.plumbline.concurrent;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue that serves keys round-robin, in FIFO order for each key, so that the items of one key do not delay
 * those of others. Not thread-safe.
 */
public final class FairQueue<K, T> {
    private final int capacity;
    private final int capacityPerKey;
    private final Map<K, ArrayDeque<T>> items = new LinkedHashMap<>();
    private int size;

    /**
     * @param capacity maximum number of items, at least 0
     * @param capacityPerKey maximum number of items of one key
     */
    public FairQueue(int capacity, int capacityPerKey) {
        this.capacity = capacity;
        this.capacityPerKey = capacityPerKey;
    }

    /** Adds an item. Returns false if the queue, or the share of the key, is full. */
    public boolean offer(K key, T item) {
        ArrayDeque<T> own = items.get(key);
        if (size >= capacity || own != null && own.size() >= capacityPerKey) {
            return false;
        }
        if (own == null) {
            own = new ArrayDeque<>();
            items.put(key, own);
        }
        own.add(item);
        size++;
        return true;
    }

    /** Removes and returns the next item; null if the queue is empty. */
    public @Nullable T poll() {
        return poll(key -> true);
    }

    /** Removes and returns the next item of the keys that match; null if there is none. */
    public @Nullable T poll(Predicate<K> condition) {
        Iterator<Map.Entry<K, ArrayDeque<T>>> keys = items.entrySet().iterator();
        while (keys.hasNext()) {
            Map.Entry<K, ArrayDeque<T>> next = keys.next();
            K key = next.getKey();
            if (condition.test(key)) {
                ArrayDeque<T> own = next.getValue();
                keys.remove();
                T item = own.remove();
                if (!own.isEmpty()) {
                    items.put(key, own);
                }
                size--;
                return item;
            }
        }
        return null;
    }

    /** Removes an item. Returns false if it is not in the queue. */
    public boolean remove(K key, T item) {
        ArrayDeque<T> own = items.get(key);
        if (own == null || !own.remove(item)) {
            return false;
        }
        if (own.isEmpty()) {
            items.remove(key);
        }
        size--;
        return true;
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }
}
