package dev.plumbline.store;

import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;

/** Parses connection URLs. */
public final class DatabaseOptions {
    private DatabaseOptions() {}

    /**
     * @param url {@code postgresql://user:password@host:port/name}
     * @throws StoreException if it is not valid; the message does not contain the password
     */
    public static PgConnectOptions of(String url) {
        if (!url.startsWith("postgresql://") && !url.startsWith("postgres://")) {
            throw malformed();
        }
        try {
            return PgConnectOptions.fromUri(url)
                    .addProperty("application_name", "plumbline")
                    .addProperty("timezone", "UTC")
                    .addProperty("client_min_messages", "warning")
                    // compilation takes longer than each of the statements
                    .addProperty("jit", "off")
                    .addProperty("max_parallel_workers_per_gather", "0")
                    .addProperty("default_transaction_isolation", "read committed");
        } catch (RuntimeException e) {
            throw malformed();
        }
    }

    private static StoreException malformed() {
        return new StoreException("database.url is not valid. Format: postgresql://user:password@host:port/name.");
    }

    /**
     * Host, port and database name of a URL, without user and password.
     *
     * @throws StoreException if the URL is not valid
     */
    public static String describe(String url) {
        return describe(of(url));
    }

    /** Host, port and database name. */
    static String describe(PgConnectOptions options) {
        JsonObject json = options.toJson();
        return json.getString("host") + ":" + json.getInteger("port") + "/" + options.getDatabase();
    }
}
