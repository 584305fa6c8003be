package dev.plumbline.concurrent;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A queue that serves keys round-robin, in FIFO order for each key, so that the items of one key do not delay those of
 * others. Not thread-safe. Small while it is empty.
 */
public final class FairQueue<K, T> {
    /** The last permits that a key does not get while it has others: one of this many. */
    private static final float RESERVED_SHARE = 8;

    private final int capacity;
    private final int capacityPerKey;
    private final Map<K, ArrayDeque<T>> items = new LinkedHashMap<>(4);
    private int size;

    /** Without a limit: for items that are limited elsewhere. */
    public FairQueue() {
        this(Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    /**
     * @param capacity maximum number of items, at least 0
     * @param capacityPerKey maximum number of items of one key
     */
    public FairQueue(int capacity, int capacityPerKey) {
        this.capacity = capacity;
        this.capacityPerKey = capacityPerKey;
    }

    /** The number of permits that one key can use, so that the others are available to other keys at once. */
    public static int shareOfKey(int permits) {
        return permits - Math.round(permits / RESERVED_SHARE);
    }

    /** Adds an item. Returns false if the queue, or the share of the key, is full. */
    public boolean offer(K key, T item) {
        if (size >= capacity || size(key) >= capacityPerKey) {
            return false;
        }
        items.computeIfAbsent(key, first -> new ArrayDeque<>(4)).add(item);
        size++;
        return true;
    }

    /** Adds an item before the others of its key, whatever the capacity. */
    public void addFirst(K key, T item) {
        items.computeIfAbsent(key, first -> new ArrayDeque<>(4)).addFirst(item);
        size++;
    }

    /** Removes and returns the next item; null if the queue is empty. */
    public @Nullable T poll() {
        return poll(key -> true);
    }

    /** Removes and returns the next item of the keys that match; null if there is none. */
    public @Nullable T poll(Predicate<K> condition) {
        return poll(condition, item -> false);
    }

    /**
     * As {@link #poll(Predicate)}, without the items that are obsolete.
     *
     * @param discard whether an item is removed and not returned; tested once for each item before the next of its key
     */
    public @Nullable T poll(Predicate<K> condition, Predicate<T> discard) {
        Iterator<Map.Entry<K, ArrayDeque<T>>> keys = items.entrySet().iterator();
        while (keys.hasNext()) {
            Map.Entry<K, ArrayDeque<T>> next = keys.next();
            K key = next.getKey();
            ArrayDeque<T> own = next.getValue();
            while (!own.isEmpty() && discard.test(own.element())) {
                own.remove();
                size--;
            }
            if (own.isEmpty()) {
                keys.remove();
            } else if (condition.test(key)) {
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

    /** Removes all items and adds them to a list. */
    public void drainTo(List<T> list) {
        items.values().forEach(list::addAll);
        items.clear();
        size = 0;
    }

    /** The keys with items, the next first. */
    public Set<K> keys() {
        return Collections.unmodifiableSet(items.keySet());
    }

    /** The items in the order of their keys. */
    public Stream<T> stream() {
        return items.values().stream().flatMap(ArrayDeque::stream);
    }

    public int size() {
        return size;
    }

    public int size(K key) {
        ArrayDeque<T> own = items.get(key);
        return own == null ? 0 : own.size();
    }

    public boolean isEmpty() {
        return size == 0;
    }
}
