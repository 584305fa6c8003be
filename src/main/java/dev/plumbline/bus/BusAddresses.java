package dev.plumbline.bus;

/** All addresses of the event bus. */
public final class BusAddresses {
    /** {@link Message.RunCheck} → {@link Message.RunReply}. */
    public static final String CHECK_RUN = "check.run";

    /** {@link Message.Ping} → {@link Message.Done}, served by the check runners. */
    public static final String CHECK_PING = "check.ping";

    /** {@link Message.RunCapacity}, published by the run nodes of a cluster. */
    public static final String RUN_CAPACITY = "run.capacity";

    /** {@link Message.ChargeQuota} → {@link Message.QuotaReply}. */
    public static final String QUOTA_CHARGE = "quota.charge";

    /** {@link Message.RefundQuota} → {@link Message.Done} or {@link Message.QuotaUnavailable}. */
    public static final String QUOTA_REFUND = "quota.refund";

    /** {@link Message.QuotaRefunded}, published to all nodes. */
    public static final String QUOTA_REFUNDED = "quota.refunded";

    /** {@link JobMessage.CreateJob} → {@link JobMessage.CreateReply}. */
    public static final String JOB_CREATE = "job.create";

    /** {@link JobMessage.CancelJob} → {@link JobMessage.JobReply}. */
    public static final String JOB_CANCEL = "job.cancel";

    /** {@link JobMessage.ReadJob} → {@link JobMessage.JobReply}. */
    public static final String JOB_READ = "job.read";

    /** {@link JobMessage.AwaitJob} → {@link JobMessage.JobReply}. */
    public static final String JOB_AWAIT = "job.await";

    /** {@link JobMessage.ReadResults} → {@link JobMessage.ResultsReply}. */
    public static final String JOB_RESULTS = "job.results";

    /** {@link JobMessage.ListJobs} → {@link JobMessage.ListReply}. */
    public static final String JOB_LIST = "job.list";

    /** {@link JobMessage.ReadUsage} → {@link JobMessage.UsageReply}. */
    public static final String JOB_USAGE = "job.usage";

    /** {@link JobMessage.JobQueued}, published on the node that has created a job. */
    public static final String JOB_QUEUED = "job.queued";

    /** {@link JobMessage.JobCancelled}, published to all nodes. */
    public static final String JOB_CANCELLED = "job.cancelled";

    /** {@link JobMessage.JobChanged}, published to all nodes. */
    public static final String JOB_CHANGED = "job.changed";

    /** {@link PermitMessage.PermitRequests}, sent to the run node that owns the keys. */
    public static final String PERMIT_REQUEST = "permit.request";

    /** {@link PermitMessage.PermitDecisions}, sent to the node that requested the permits. */
    public static final String PERMIT_DECISION = "permit.decision";

    /** {@link PermitMessage.PermitReleases}, sent to the node that granted the permits. */
    public static final String PERMIT_RELEASE = "permit.release";

    private BusAddresses() {}
}
