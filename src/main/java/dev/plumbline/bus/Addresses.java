package dev.plumbline.bus;

/** Every address on the event bus; there are no others. */
public final class Addresses {
  /** {@link Message.RunCheck} → {@link Message.RunReply}. */
  public static final String CHECK_RUN = "check.run";

  /** {@link Message.Ping} → {@link Message.Done}, by those who run checks. */
  public static final String CHECK_PING = "check.ping";

  /** {@link Message.TakeQuota} → {@link Message.QuotaReply}. */
  public static final String LIMIT_TAKE = "limit.take";

  /** {@link Message.RefundQuota} → {@link Message.Done}. */
  public static final String LIMIT_REFUND = "limit.refund";

  private Addresses() {}
}
