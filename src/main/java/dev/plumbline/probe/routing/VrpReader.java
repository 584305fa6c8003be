package dev.plumbline.probe.routing;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.google.common.primitives.Longs;
import dev.plumbline.target.IpPrefix;
import java.io.IOException;
import java.io.InputStream;
import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON of RPKI validators (formats {@code json} and {@code jsonext} of Routinator, and that of rpki-client)
 * as a stream. If it does not understand a payload, it rejects the whole file: a missing payload would make a valid
 * route invalid or not found.
 */
final class VrpReader {
    /** About twice the number of payloads in 2026; limits the memory to 44 MB. */
    static final int MAX_PAYLOADS = 2_000_000;

    private static final int MAX_DEPTH = 20;
    private static final int MAX_STRING = 64 * 1024;
    private static final int MAX_NAME = 1_000;
    private static final long MAX_ASN = 0xffff_ffffL;
    private static final int MAX_ASN_DIGITS = 10;

    /** Tables of names would grow with each name in the file. */
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(MAX_STRING)
                    .maxNameLength(MAX_NAME)
                    .build())
            .build();

    /**
     * The contents of a file.
     *
     * @param generated when the validator created it; null if it does not state that
     */
    record Contents(VrpTable table, @Nullable Instant generated) {}

    private final JsonParser json;
    private final long nowSeconds;
    private final VrpTable.Builder payloads = new VrpTable.Builder();
    private int entries;
    private @Nullable Instant generated;

    private VrpReader(JsonParser json, Instant now) {
        this.json = json;
        this.nowSeconds = now.getEpochSecond();
    }

    /**
     * Reads a file. Payloads that have expired are omitted.
     *
     * @throws IOException if the stream cannot be read, or if the file is not that of a validator; the message is a
     *     clause
     */
    static Contents read(InputStream in, Instant now) throws IOException {
        try (JsonParser json = FACTORY.createParser(in)) {
            return new VrpReader(json, now).contents();
        } catch (JsonProcessingException malformed) {
            JsonLocation at = malformed.getLocation();
            String where = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
            throw new IOException("the JSON is not valid" + where, malformed);
        }
    }

    private Contents contents() throws IOException {
        require(json.nextToken() == JsonToken.START_OBJECT, "it is not a JSON object");
        boolean found = false;
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            JsonToken value = json.nextToken();
            if (name.equals("roas")) {
                require(!found && value == JsonToken.START_ARRAY, "`roas` is not an array, or occurs twice");
                found = true;
                readPayloads();
            } else if (name.equals("metadata") && value == JsonToken.START_OBJECT) {
                readMetadata();
            } else {
                json.skipChildren();
            }
        }
        require(json.nextToken() == null, "it continues after the JSON object");
        require(found, "`roas` is missing");
        require(payloads.size() > 0, "`roas` does not contain a payload");
        return new Contents(payloads.build(), generated);
    }

    private void readPayloads() throws IOException {
        while (json.nextToken() != JsonToken.END_ARRAY) {
            entries++;
            requireEntry(json.hasToken(JsonToken.START_OBJECT), "is not an object");
            readPayload();
        }
    }

    private void readPayload() throws IOException {
        long asn = -1;
        IpPrefix prefix = null;
        int maxLength = -1;
        long expires = Long.MAX_VALUE;
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "asn" -> asn = asn();
                case "prefix" -> prefix = prefix();
                case "maxLength" -> maxLength = (int) integer(IpPrefix.V6_BITS);
                case "expires" -> expires = integer(Long.MAX_VALUE);
                default -> json.skipChildren();
            }
        }
        requireEntry(asn >= 0, "does not have a valid `asn`");
        if (prefix == null) {
            throw entryFault("does not have a valid `prefix`");
        }
        int bits = prefix.v4() ? IpPrefix.V4_BITS : IpPrefix.V6_BITS;
        requireEntry(maxLength >= prefix.length() && maxLength <= bits, "does not have a valid `maxLength`");
        requireEntry(expires >= 0, "does not have a valid `expires`");
        if (expires > nowSeconds) {
            require(payloads.size() < MAX_PAYLOADS, "it contains more than " + MAX_PAYLOADS + " payloads");
            payloads.add(prefix, maxLength, asn);
        }
    }

    private @Nullable IpPrefix prefix() throws IOException {
        json.skipChildren();
        return json.hasToken(JsonToken.VALUE_STRING) ? IpPrefix.parse(json.getText()) : null;
    }

    /** A number, or a text with or without the prefix {@code AS}; -1 if the value is not an AS number. */
    private long asn() throws IOException {
        if (!json.hasToken(JsonToken.VALUE_STRING)) {
            return integer(MAX_ASN);
        }
        String text = json.getText();
        return asn(text.startsWith("AS") ? text.substring(2) : text);
    }

    /** The AS number with these digits; -1 if it is not one. */
    static long asn(String digits) {
        Long number = digits.length() > MAX_ASN_DIGITS || digits.startsWith("-") ? null : Longs.tryParse(digits);
        return number == null || number > MAX_ASN ? -1 : number;
    }

    /** The value as an integer from 0 to a maximum; -1 if it is not one. */
    private long integer(long max) throws IOException {
        if (json.hasToken(JsonToken.VALUE_NUMBER_INT) && json.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
            long value = json.getLongValue();
            return value >= 0 && value <= max ? value : -1;
        }
        json.skipChildren();
        return -1;
    }

    /** Routinator states the time as {@code generated} (seconds), rpki-client as {@code buildtime}. */
    private void readMetadata() throws IOException {
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            json.nextToken();
            if (name.equals("generated") && json.hasToken(JsonToken.VALUE_NUMBER_INT)) {
                generated = Instant.ofEpochSecond(integer(Instant.MAX.getEpochSecond()));
            } else if (name.equals("buildtime") && json.hasToken(JsonToken.VALUE_STRING)) {
                generated = instant(json.getText());
            } else {
                json.skipChildren();
            }
        }
    }

    private static Instant instant(String text) throws IOException {
        try {
            return Instant.parse(text);
        } catch (DateTimeException malformed) {
            throw new IOException("`buildtime` is not a time", malformed);
        }
    }

    private void requireEntry(boolean valid, String fault) throws IOException {
        if (!valid) {
            throw entryFault(fault);
        }
    }

    private IOException entryFault(String fault) {
        return new IOException("entry " + entries + " of `roas` " + fault);
    }

    private static void require(boolean valid, String fault) throws IOException {
        if (!valid) {
            throw new IOException(fault);
        }
    }
}
