package dev.plumbline.probe;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;

/** Queries as bytes, and bytes as answers that belong to their query (RFC 1035 §4, RFC 5452 §9). */
final class DnsWire {
  /** What we take over UDP (RFC 9715: fits every path without fragments). */
  static final int UDP_PAYLOAD = 1232;

  private static final int HEADER = 12;
  private static final int MOST_HOPS = 20;

  /** The least that a record takes: the root's name, type, class, time to live and length. */
  private static final int SMALLEST_RECORD = 11;

  private DnsWire() {}

  /**
   * One query, which asks to be told of validation (RFC 6840 §5.7); with EDNS (RFC 6891) unless the
   * server does not know it.
   */
  static Message query(Record question, int id, boolean edns) {
    Message message = new Message(id);
    message.getHeader().setFlag(Flags.RD);
    message.getHeader().setFlag(Flags.AD);
    message.addRecord(question, Section.QUESTION);
    if (edns) {
      message.addRecord(new OPTRecord(UDP_PAYLOAD, 0, 0), Section.ADDITIONAL);
    }
    return message;
  }

  /** Whether the bytes claim to be the answer to the query of this id. */
  static boolean claimsToAnswer(Buffer bytes, int id) {
    return bytes.length() >= HEADER
        && bytes.getUnsignedShort(0) == id
        && (bytes.getByte(2) & 0x80) != 0
        && (bytes.getByte(2) & 0x78) == 0;
  }

  /** The message, null when the bytes are none. */
  static @Nullable Message parse(Buffer bytes) {
    if (bytes.length() < HEADER || bytes.getUnsignedShort(4) > 1) {
      return null;
    }
    boolean truncated = (bytes.getByte(2) & 0x02) != 0;
    if (truncated) {
      return headerAndQuestion(bytes);
    }
    int records =
        bytes.getUnsignedShort(6) + bytes.getUnsignedShort(8) + bytes.getUnsignedShort(10);
    if (HEADER + records * SMALLEST_RECORD > bytes.length()) {
      return null;
    }
    byte[] message = bytes.getBytes();
    if (leadsOnAndOn(message)) {
      return null;
    }
    try {
      return new Message(message);
    } catch (IOException | RuntimeException malformed) {
      return null;
    }
  }

  /**
   * Whether pointers point at pointers (RFC 1035 section 4.1.4) so often that to follow them for
   * each of many names takes long; whoever packs names to save room never does it. It may be found
   * in bytes that are no names, too, but hardly by chance.
   */
  private static boolean leadsOnAndOn(byte[] message) {
    byte[] hops = new byte[message.length];
    for (int at = HEADER; at + 1 < message.length; at++) {
      if ((message[at] & 0xc0) == 0xc0) {
        int to = (message[at] & 0x3f) << 8 | message[at + 1] & 0xff;
        hops[at] = to < at ? (byte) (hops[to] + 1) : 1;
        if (hops[at] > MOST_HOPS) {
          return true;
        }
      }
    }
    return false;
  }

  /** A truncated answer is asked for again over TCP: what it holds beyond its question is moot. */
  private static @Nullable Message headerAndQuestion(Buffer bytes) {
    byte[] head = bytes.getBytes();
    Arrays.fill(head, 6, HEADER, (byte) 0);
    try {
      return new Message(head);
    } catch (IOException | RuntimeException malformed) {
      return null;
    }
  }

  /** An answer repeats the question; one that only says that something failed may leave it out. */
  static boolean belongs(Message answer, Record question) {
    Record repeated = answer.getQuestion();
    if (repeated == null) {
      int rcode = answer.getHeader().getRcode();
      return rcode != Rcode.NOERROR && rcode != Rcode.NXDOMAIN;
    }
    return repeated.getType() == question.getType()
        && repeated.getDClass() == question.getDClass()
        && repeated.getName().equals(question.getName());
  }
}
