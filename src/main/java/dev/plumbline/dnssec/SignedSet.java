package dev.plumbline.dnssec;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.RRSIGRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** An RRset with its signatures. */
record SignedSet(Name name, int type, List<Record> records, List<RRSIGRecord> signatures) {

    /** Comparable, because names can have equal hash codes on purpose. */
    private record Key(Name name, int type) implements Comparable<Key> {
        private static final Comparator<Key> ORDER =
                Comparator.comparing(Key::name).thenComparingInt(Key::type);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    /** The RRsets of a section, in order. Signatures without records are ignored. */
    static List<SignedSet> of(List<Record> section) {
        Map<Key, SignedSet> sets = new LinkedHashMap<>();
        for (Record record : section) {
            if (record.getDClass() == DClass.IN && record.getType() != Type.OPT) {
                boolean signature = record instanceof RRSIGRecord;
                int type = signature ? ((RRSIGRecord) record).getTypeCovered() : record.getType();
                SignedSet set = sets.computeIfAbsent(
                        new Key(record.getName(), type),
                        key -> new SignedSet(key.name(), key.type(), new ArrayList<>(), new ArrayList<>()));
                if (signature) {
                    set.signatures.add((RRSIGRecord) record);
                } else {
                    set.records.add(record);
                }
            }
        }
        return sets.values().stream().filter(set -> !set.records.isEmpty()).toList();
    }

    static @Nullable SignedSet find(List<SignedSet> sets, Name name, int type) {
        return sets.stream()
                .filter(set -> set.type == type && set.name.equals(name))
                .findFirst()
                .orElse(null);
    }
}
